package dispatch

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/dispatch/results"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// withVault gives the dispatcher tools whose schema marks a secret: "vault" waits in a pool
// without workers. With it are tools that call others.
func withVault(t *testing.T) func(*Options) {
	return func(o *Options) {
		t.Helper()
		shared := catalog.New()
		marked := json.RawMessage(`{"type":"object","properties":{"word":{"type":"string","writeOnly":true}}}`)
		defs := append(definitions(),
			tool.Definition{Name: "vault", Pool: "nobody", Parameters: marked},
			tool.Definition{Name: "held", Pool: "nobody", Parameters: json.RawMessage(`{"type":"object"}`)},
			tool.Definition{Name: catalog.BatchUseTool, Pool: "nobody", Parameters: json.RawMessage(`{"type":"object"}`)},
		)
		for i := range defs {
			d := &defs[i]
			d.Version, d.Kind, d.Enabled, d.TimeoutSeconds = "1", cmp.Or(d.Kind, tool.KindBuiltin), true, 1
		}
		if err := shared.Put(defs...); err != nil {
			t.Fatal(err)
		}
		o.Catalog = catalog.NewTenants(shared)
	}
}

// TestArgumentsQueued: the arguments of a call that waits for a worker are shown to its
// person and to people with a role for it, without what the schema of the tool that is
// called marks as secret.
func TestArgumentsQueued(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withVault(t))
	large := strings.Repeat("x", queue.InlineLimit+1)
	for id, tt := range map[string]struct{ tool, args, want string }{
		"plain":   {"held", `{"n":12345678901234567890.10}`, `{"n":12345678901234567890.10}`},
		"text":    {"held", `"{\"n\":1}"`, `{"n":1}`},
		"marked":  {"vault", `{"word":"sesame","door":"left"}`, `"door":"left"`},
		"use":     {catalog.UseTool, `{"tool_name":"vault","arguments":{"word":"sesame","door":"left"}}`, `"door":"left"`},
		"unknown": {catalog.UseTool, `{"tool_name":"gone","arguments":{"word":"sesame"}}`, ""},
		"batch": {
			catalog.BatchUseTool,
			`{"calls":[{"tool_name":"held","arguments":{"n":1}},{"tool_name":"vault","arguments":{"word":"sesame"}},{"tool_name":"gone","arguments":{"word":"sesame"}}]}`,
			`{"arguments":{"n":1},"tool_name":"held"}`,
		},
		"listed": {catalog.BatchUseTool, `{"operations":[{"tool":"vault","args":"{\"word\":\"sesame\",\"door\":\"left\"}"}]}`, `"door":"left"`},
		"large":  {"held", `{"n":1,"text":"` + large + `"}`, `"n":1`},
		"none":   {"held", ``, ""},
	} {
		e := w.queued("ann", "bot")
		e.ID, e.Tool, e.Pool, e.Arguments = id, tt.tool, "nobody", nil
		if tt.args != "" {
			e.Arguments = []byte(tt.args)
		}
		w.accept(t, e)
		got, err := w.d.Arguments(as(t, "ann"), "acme", id)
		if err != nil || !strings.Contains(string(got), tt.want) || tt.want == "" && got != nil || strings.Contains(string(got), "sesame") ||
			len(got) > 32<<10 {
			t.Errorf("%s: Arguments = %.300s, %v, want %s", id, got, err, tt.want)
		}
		if got != nil && !json.Valid(got) {
			t.Errorf("%s: Arguments = %.300s, which is no JSON", id, got)
		}
		if got, err := w.d.Arguments(as(t, "eve", identity.Auditor), "acme", id); err != nil || !strings.Contains(string(got), tt.want) {
			t.Errorf("%s: Arguments for an auditor = %.300s, %v", id, got, err)
		}
		_, err = w.d.Arguments(as(t, "bob"), "acme", id)
		wantKind(t, id+" of somebody else", err, NotFound)
	}
	if got, err := w.d.Arguments(as(t, "ann"), "acme", "never-sent"); got != nil || err != nil {
		t.Errorf("Arguments of an unknown call = %s, %v", got, err)
	}
}

// accept stores the acceptance of a call and queues it.
func (w *world) accept(t *testing.T, e *call.Call) {
	t.Helper()
	ctx := queuetest.Context(t)
	if _, err := w.d.Queue.Calls.Accept(ctx, e.Tenant, e.ID, acceptance(e, results.Of(e), "")); err != nil {
		t.Fatal(err)
	}
	if len(e.Arguments) > queue.InlineLimit {
		if err := w.d.Queue.Calls.StoreArguments(ctx, e); err != nil {
			t.Fatal(err)
		}
	}
	stored := make(chan error, 1)
	w.d.Queue.Calls.Submit(e, func(err error) { stored <- err })
	if err := queuetest.Receive(t, stored, "acknowledgement"); err != nil {
		t.Fatal(err)
	}
}

// TestArgumentsRunning: the arguments of a call that a worker runs are shown, also while its
// request waits for the result, when it has no acceptance.
func TestArgumentsRunning(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	made := NewID()
	for id, fresh := range map[string]bool{"c1": false, made: true} {
		ctx, cancel := context.WithCancel(local(t))
		waits := make(chan struct{})
		go func() {
			defer close(waits)
			_, _ = w.d.Execute(ctx, request(Call{Call: call.Call{ID: id, Tool: "hold", Arguments: []byte(`{"n":1}`)}, Fresh: fresh}))
		}()
		d := queuetest.Receive(t, w.held, "call")
		w.runs(t, d)
		queuetest.Until(t, "the arguments are shown", func() bool { // an answer of the worker may be late
			got, err := w.d.Arguments(as(t, "ann"), "acme", id)
			return err == nil && string(got) == `{"n":1}`
		})
		if rec, err := w.d.Queue.Calls.Accepted(ctx, "acme", id); err != nil || (rec == nil) != fresh {
			t.Errorf("acceptance of %s = %+v, %v", id, rec, err)
		}
		_, err := w.d.Arguments(as(t, "bob"), "acme", id)
		wantKind(t, "the call of somebody else", err, NotFound)
		w.finish(t, d, &protocol.Result{Status: protocol.StatusSuccess})
		<-waits
		cancel()
	}
	if at := madeAt(made); time.Since(at) > time.Hour || time.Since(at) < 0 {
		t.Errorf("the call was made at %v", at)
	}
	if at := madeAt("c1"); !at.IsZero() {
		t.Errorf("a caller's own id was made at %v", at)
	}
}
