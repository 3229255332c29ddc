package api

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/protocol"
)

// askedPrograms keeps what it was asked.
type askedPrograms struct {
	q    ProgramQuery
	id   string
	open map[string]int
}

func (a *askedPrograms) OpenPrograms(tenant, user string) int { return a.open[tenant+"/"+user] }

func (a *askedPrograms) ListPrograms(_ context.Context, q ProgramQuery) (protocol.Programs, error) {
	a.q = q
	return protocol.Programs{}, nil
}

func (a *askedPrograms) Program(_ context.Context, tenant, callID string) (protocol.ProgramDetail, error) {
	a.id = tenant + "/" + callID
	return protocol.ProgramDetail{}, nil
}

func (a *askedPrograms) RetryProgram(_ context.Context, tenant, callID string) (dispatch.Response, error) {
	a.id = tenant + "/" + callID
	return dispatch.Response{TraceID: "t1", Results: []json.RawMessage{json.RawMessage(`{"call_id":"p2"}`)}}, nil
}

// TestWhosePrograms: admins and auditors list programs of everybody, a person their own, and an
// agent those that it has run, for any person; a credential for everybody must name a person.
func TestWhosePrograms(t *testing.T) {
	for _, tt := range []struct {
		by                                  identity.Principal
		named, namedAgent, user, agent, err string
	}{
		{by: as("root", "", identity.Admin)},
		{by: as("root", "x", identity.Admin)},
		{by: as("eve", "", identity.Auditor), named: "ann", namedAgent: "x", user: "ann", agent: "x"},
		{by: identity.Anyone("default"), named: "ann", user: "ann"},
		{by: as("ann", "", identity.User), user: "ann"},
		{by: as("ann", "", identity.User), named: "bob", err: `the user "bob"`},
		{by: as("ann", "x", identity.Agent), user: "ann", agent: "x"},
		{by: as("", "x", identity.Agent), agent: "x"},
		{by: as("", "x", identity.Agent), named: "bob", user: "bob", agent: "x"},
		{by: as("", "x", identity.Agent), namedAgent: "y", err: `the agent "y"`},
		{by: as("", "", identity.Agent), err: "set user"},
		{by: as("", "", identity.Agent), named: "bob", user: "bob"},
		{by: as("ann", "", identity.Approver), err: "programs.list needs the role"},
	} {
		s, _ := service(t, nil)
		list := &askedPrograms{}
		s.Programs = list
		_, err := do(s, "programs.list", Input{By: tt.by, Params: map[string]string{"user": tt.named, "agent": tt.namedAgent}})
		if tt.err != "" {
			failure(t, err, "forbidden", 403, tt.err)
			if list.q.Tenant != "" {
				t.Errorf("%+v reads the list for %q", tt.by, tt.named)
			}
			continue
		}
		if err != nil || list.q.User != tt.user || list.q.Agent != tt.agent || list.q.Limit != 50 {
			t.Errorf("%+v for %q %q lists %+v, %v", tt.by, tt.named, tt.namedAgent, list.q, err)
		}
	}
}

// TestProgramRequests: an answer without steps has empty lists, and what cannot be is refused.
func TestProgramRequests(t *testing.T) {
	s, _ := service(t, nil)
	_, err := do(s, "programs.list", Input{By: identity.Anyone("default")})
	failure(t, err, "unavailable", 503, "programs")
	list := &askedPrograms{}
	s.Programs = list
	reply, err := do(s, "programs.get", Input{Tenant: "default", By: identity.Anyone("default"), Params: map[string]string{"call_id": "p1~2"}})
	if err != nil || list.id != "default/p1~2" || !strings.Contains(string(reply.Body), `"steps":[],"log":[]`) {
		t.Errorf("programs.get = %s of %s, %v", reply.Body, list.id, err)
	}
	for name, value := range map[string]string{"status": "done", "limit": "201", "user": "a b", "agent": "a b", "trace_id": "0AF7651916CD43DD8448EB211C80319C"} {
		_, err := do(s, "programs.list", Input{By: identity.Anyone("default"), Params: map[string]string{name: value}})
		failure(t, err, "bad_request", 400, name)
	}
	reply, err = do(s, "programs.retry", Input{Tenant: "default", By: identity.Anyone("default"), Params: map[string]string{"call_id": "p1"}})
	if err != nil || list.id != "default/p1" || string(reply.Body) != `{"trace_id":"t1","results":[{"call_id":"p2"}]}` {
		t.Errorf("programs.retry = %s of %s, %v", reply.Body, list.id, err)
	}
	for _, name := range []string{"programs.get", "programs.retry"} {
		_, err = do(s, name, Input{By: identity.Anyone("default"), Params: map[string]string{"call_id": "a b"}})
		failure(t, err, "bad_request", 400, "call_id")
	}
	const trace = "0af7651916cd43dd8448eb211c80319c"
	_, err = do(s, "programs.list", Input{By: as("ann", "", identity.User), Params: map[string]string{"trace_id": trace}})
	if err != nil || list.q.TraceID != trace || list.q.User != "ann" {
		t.Errorf("the programs of a trace are asked for by %+v, %v", list.q, err)
	}
}

// TestOpenProgramsAreCounted: a person is told of their own programs, who oversees of all.
func TestOpenProgramsAreCounted(t *testing.T) {
	t.Parallel()
	s := New(Parts{Programs: &askedPrograms{open: map[string]int{"default/": 70, "default/ada": 2, "other/": 9}}})
	for _, tt := range []struct {
		who  identity.Principal
		want string
	}{
		{as("ada", "", identity.User), `{"programs":2}`},
		{as("bob", "", identity.User), `{}`},
		{as("ada", "", identity.Approver), `{}`},
		{as("", "", identity.User), `{}`},
		{as("eve", "", identity.Auditor), `{"programs":50}`},
		{identity.Principal{Tenant: "other", User: "root", Roles: []identity.Role{identity.Admin}}, `{"programs":9}`},
	} {
		if reply, err := do(s, "system.counts", Input{Tenant: tt.who.Tenant, By: tt.who}); err != nil || string(reply.Body) != tt.want {
			t.Errorf("%+v: %s %v, want %s", tt.who, reply.Body, err, tt.want)
		}
	}
}
