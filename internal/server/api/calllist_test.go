package api

import (
	"context"
	"testing"

	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/protocol"
)

// asked is a list that keeps the query.
type asked struct{ q CallQuery }

func (a *asked) ListCalls(_ context.Context, q CallQuery) (protocol.CallList, error) {
	a.q = q
	return protocol.CallList{}, nil
}

// TestWhoseCalls: an admin and an auditor list calls of everybody or of whom they name; a person
// lists their own, whatever the request says, and an agent's credential those of its agent.
func TestWhoseCalls(t *testing.T) {
	for _, tt := range []struct {
		by                                  identity.Principal
		named, namedAgent, user, agent, err string
	}{
		{by: as("root", "", identity.Admin)},
		{by: as("eve", "", identity.Auditor), named: "ann", namedAgent: "x", user: "ann", agent: "x"},
		{by: identity.Anyone("default"), named: "ann", user: "ann"},
		{by: as("ann", "", identity.User), user: "ann"},
		{by: as("ann", "", identity.User), named: "ann", namedAgent: "x", user: "ann", agent: "x"},
		{by: as("ann", "x", identity.User), user: "ann", agent: "x"},
		{by: as("ann", "", identity.User), named: "bob", err: `the user "bob"`},
		{by: as("ann", "x", identity.User), namedAgent: "y", err: `the agent "y"`},
		{by: as("ann", "", identity.User, identity.Approver), named: "bob", err: `the user "bob"`},
		{by: as("", "", identity.User), named: "bob", user: "bob"},
		{by: as("", "", identity.User), err: "set user"},
		{by: as("ann", "", identity.Approver), err: "calls.list needs the role"},
		{by: as("ann", "", identity.Agent), err: "calls.list needs the role"},
	} {
		s, _ := service(t, nil)
		list := &asked{}
		s.List = list
		_, err := do(s, "calls.list", Input{By: tt.by, Params: map[string]string{"user": tt.named, "agent": tt.namedAgent}})
		if tt.err != "" {
			failure(t, err, "forbidden", 403, tt.err)
			if list.q.Tenant != "" {
				t.Errorf("%+v reads the list for %q", tt.by, tt.named)
			}
			continue
		}
		if err != nil || list.q.User != tt.user || list.q.Agent != tt.agent {
			t.Errorf("%+v for %q %q lists %+v, %v", tt.by, tt.named, tt.namedAgent, list.q, err)
		}
	}
}

// TestCallFilters: every filter reaches the list, and one with a value that cannot be is refused.
func TestCallFilters(t *testing.T) {
	s, _ := service(t, nil)
	list := &asked{}
	s.List = list
	ask := func(name, value string) error {
		_, err := do(s, "calls.list", Input{By: identity.Anyone("default"), Params: map[string]string{name: value}})
		return err
	}
	for name, value := range map[string]string{
		"status": "error", "state": "done", "error_type": "timeout", "tool": "debug.echo", "version": "2.1", "user": "ann", "agent": "x",
		"conversation": "k", "pool": "gpu", "worker": "w-1", "trace_id": "0af7651916cd43dd8448eb211c80319c", "q": "text", "cursor": "1.a",
	} {
		err := ask(name, value)
		q := list.q
		got := map[string]string{
			"status": q.Status, "state": q.State, "error_type": q.ErrorType, "tool": q.Tool, "version": q.Version, "user": q.User,
			"agent": q.Agent, "conversation": q.Conversation, "pool": q.Pool, "worker": q.Worker, "trace_id": q.TraceID, "q": q.Text, "cursor": q.Cursor,
		}[name]
		if err != nil || got != value {
			t.Errorf("%s=%s reaches the list as %q, %v", name, value, got, err)
		}
	}
	for name, value := range map[string]string{
		"error_type": "lost", "status": "lost", "state": "lost", "user": "a b", "pool": "a b", "worker": "w*", "trace_id": "0", "tool": "1", "limit": "1001",
	} {
		failure(t, ask(name, value), "bad_request", 400, name)
	}
}
