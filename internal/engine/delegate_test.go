package engine

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"testing"

	"github.com/helve-dev/helve/internal/jsonx/schema"
	"github.com/helve-dev/helve/tool"
)

type wayArgs struct {
	To   string          `json:"to"`
	With json.RawMessage `json:"with"`
}

// way is a tool "way" to the tool that its arguments name.
func way() *tool.Tool {
	return tool.Add(tool.NewSet("Test", "test"), tool.Spec[wayArgs, any]{
		Name: "way", Description: "A way to another tool.", Risk: tool.Low, Mutates: false, Timeout: 1,
		Delegate: func(a wayArgs) (string, json.RawMessage, error) { return a.To, a.With, nil },
	})
}

// TestDelegate: the call is judged, fenced and run as the tool it leads to.
func TestDelegate(t *testing.T) {
	var runs atomic.Int64
	w := holding(t, effect(&runs, mutating), way())
	j := job(`{"to":"old_x","with":{"path":"a"}}`)
	j.Name, j.Via = "way", "schedule"
	wantValue(t, w.execute(t.Context(), j), `"done"`)
	if j.CameBy() != "schedule" {
		t.Errorf("the call came by %q, want schedule", j.CameBy())
	}
	if w.began != 1 || !w.judged.Mutates || j.Tool != "x" || j.Via != "way" || string(j.Arguments()) != `{"path":"a"}` {
		t.Errorf("fenced %d times, judged %+v, tool %s, origin %s, arguments %s: want those of x",
			w.began, w.judged, j.Tool, j.Via, j.Arguments())
	}
	for name, got := range map[string]struct{ have, of string }{
		"the judged call": {j.ArgsHash(), `{"path":"a"}`},
		"the sent call":   {j.SentHash(), `{"to":"old_x","with":{"path":"a"}}`},
	} {
		if want, err := schema.Hash([]byte(got.of)); err != nil || got.have != want {
			t.Errorf("hash of %s = %s, want %s (%v)", name, got.have, want, err)
		}
	}
}

func TestDelegateRefusals(t *testing.T) {
	var runs atomic.Int64
	w := holding(t, effect(&runs, mutating), way())
	for name, tt := range map[string]struct {
		args string
		kind tool.Kind
	}{
		"to itself":      {`{"to":"way","with":{"to":"x","with":{}}}`, tool.ValidationError},
		"to nothing":     {`{"to":"nope","with":{}}`, tool.ToolNotFound},
		"wrong way":      {`{"to":1,"with":{}}`, tool.ValidationError},
		"wrong argument": {`{"to":"x","with":{"path":7}}`, tool.ValidationError},
	} {
		t.Run(name, func(t *testing.T) {
			j := job(tt.args)
			j.Name = "way"
			wantKind(t, w.execute(t.Context(), j), tt.kind)
		})
	}
	w.allowErr = tool.Fail(tool.ToolNotAvailable, "not yours")
	j := job(`{"to":"x","with":{"path":"a"}}`)
	j.Name = "way"
	wantKind(t, w.execute(t.Context(), j), tool.ToolNotAvailable)
	if runs.Load() != 0 || w.began != 0 {
		t.Errorf("ran %d times, fenced %d times: want neither", runs.Load(), w.began)
	}
}

// TestVet: a tool that objects is asked before the policy is, so nobody is asked
// about a call that cannot work.
func TestVet(t *testing.T) {
	var runs atomic.Int64
	one := effect(&runs, func(s *tool.Spec[pathArgs, any]) {
		mutating(s)
		s.Check = func(_ context.Context, call *tool.Call, args pathArgs) error {
			if args.Path == call.Tenant {
				return tool.Fail(tool.ValidationError, "path: it cannot be the tenant")
			}
			return nil
		}
	})
	w := holding(t, one)
	w.policyErr = tool.Fail(tool.PolicyDenied, "no")
	wantKind(t, w.execute(context.Background(), job(`{"path":"default"}`)), tool.ValidationError)
	wantKind(t, w.execute(context.Background(), job(`{"path":"a"}`)), tool.PolicyDenied)
}

// oneEntry is a config center with one entry.
type oneEntry struct{}

func (oneEntry) Entries(context.Context, string) ([]tool.ServiceEntry, error) {
	return []tool.ServiceEntry{{Label: "off"}}, nil
}

// TestVetSeesSettings: what an operator has configured may refuse a call before a
// person is asked; other ports are not there yet.
func TestVetSeesSettings(t *testing.T) {
	w := holding(t, running(func(context.Context, *tool.Call, pathArgs) (any, error) { return nil, nil }, func(s *tool.Spec[pathArgs, any]) {
		mutating(s)
		s.Needs = tool.NeedSecrets | tool.NeedFiles
		s.Check = func(ctx context.Context, call *tool.Call, _ pathArgs) error {
			entries, err := call.Secrets.Entries(ctx, "x")
			if err != nil || call.Files != nil {
				return tool.Fail(tool.Internal, "%v, files %v", err, call.Files)
			}
			return tool.Fail(tool.NotConfigured, "it is %s", entries[0].Label)
		}
	}))
	w.secrets, w.policyErr = oneEntry{}, tool.Fail(tool.PolicyDenied, "no")
	wantKind(t, w.execute(context.Background(), job(`{"path":"a"}`)), tool.NotConfigured)
}

// noEngine is a machine on which no container can run.
type noEngine struct{ tool.Containers }

func (noEngine) Ready(context.Context) error { return tool.Fail(tool.NotConfigured, "no engine") }

// TestVetSeesContainers: nor is a person asked about what cannot run here.
func TestVetSeesContainers(t *testing.T) {
	w := holding(t, running(func(context.Context, *tool.Call, pathArgs) (any, error) { return nil, nil }, func(s *tool.Spec[pathArgs, any]) {
		mutating(s)
		s.Needs = tool.NeedContainers
		s.Check = func(ctx context.Context, call *tool.Call, _ pathArgs) error { return call.Containers.Ready(ctx) }
	}))
	w.containers, w.policyErr = noEngine{}, tool.Fail(tool.PolicyDenied, "no")
	wantKind(t, w.execute(context.Background(), job(`{"path":"a"}`)), tool.NotConfigured)
}

// emptyStore is a store without documents.
type emptyStore struct{ tool.Store }

func (emptyStore) Get(context.Context, *tool.Shape, string) (tool.Row, error) {
	return tool.Row{}, tool.Fail(tool.NotFound, "no such item")
}

// TestVetSeesStore: nor is a person asked about what does not exist.
func TestVetSeesStore(t *testing.T) {
	w := holding(t, running(func(context.Context, *tool.Call, pathArgs) (any, error) { return nil, nil }, func(s *tool.Spec[pathArgs, any]) {
		mutating(s)
		s.Needs = tool.NeedStore
		s.Check = func(ctx context.Context, call *tool.Call, _ pathArgs) error {
			_, err := call.Store.Get(ctx, nil, "x")
			return err
		}
	}))
	w.data, w.policyErr = emptyStore{}, tool.Fail(tool.PolicyDenied, "no")
	wantKind(t, w.execute(context.Background(), job(`{"path":"a"}`)), tool.NotFound)
}
