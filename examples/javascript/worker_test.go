package javascript

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/ports/netguard"
	"github.com/helve-dev/helve/internal/toolbox/js/library"
	"github.com/helve-dev/helve/tool"
)

// office is a worker's pipeline over the tools of a library, without a policy
// and without NATS.
type office struct {
	tools map[string]library.Loaded
	guard *netguard.Guard
}

// guardFor lets tools reach the services, which are on loopback.
func guardFor(t *testing.T, services ...*service) *netguard.Guard {
	t.Helper()
	var allow []string
	for _, s := range services {
		allow = append(allow, strings.TrimPrefix(s.URL, "http://"))
	}
	guard, err := netguard.New(netguard.Options{Allow: allow})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(guard.Close)
	return guard
}

// call returns the result as JSON, or the kind of the error and its message.
func (o *office) call(t *testing.T, name, args string) string {
	t.Helper()
	e := engine.New(engine.Deps{Catalog: o, Access: o, Policy: o, Ledger: o, Ports: o, Record: o})
	out := e.Execute(t.Context(), &engine.Job{
		Call: tool.Call{ID: "c1", Tenant: "default", Attempt: 1},
		Name: name,
		Args: json.RawMessage(args),
	})
	switch {
	case out.Control != nil:
		t.Fatalf("%s: %v", name, out.Control)
	case out.Err != nil:
		return string(out.Err.Kind) + ": " + out.Err.Msg
	}
	return compact(out.Result.Value)
}

// Lookup implements [engine.Catalog].
func (o *office) Lookup(_, _, name string) (*engine.Entry, error) {
	t, ok := o.tools[name]
	if !ok {
		return nil, tool.Fail(tool.ToolNotFound, "Tool '%s' not found", name)
	}
	return &engine.Entry{Tool: t.Tool, Schema: t.Schema}, nil
}

// Allow implements [engine.Access].
func (o *office) Allow(context.Context, *engine.Job) error { return nil }

// Authorize implements [engine.Policy].
func (o *office) Authorize(context.Context, *engine.Job) error { return nil }

// Earlier implements [engine.Ledger].
func (o *office) Earlier(context.Context, *engine.Job) error { return nil }

// Begin implements [engine.Ledger].
func (o *office) Begin(context.Context, *engine.Job) error { return nil }

// Record implements [engine.Recorder].
func (o *office) Record(*engine.Job, *engine.Outcome) {}

// Fill implements [engine.Ports].
func (o *office) Fill(j *engine.Job, _ tool.Needs) error {
	j.HTTP, j.Clock = o.guard.Within(j.Definition().Scopes), clock{}
	return nil
}

type clock struct{}

// Now implements [tool.Clock].
func (clock) Now() time.Time { return time.Now() }
