package e2e

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/worker"
)

// TestProviderIsWhole: no call ever meets the half of a provider that is refused, and
// what a program does with its lists afterwards is its own affair.
func TestProviderIsWhole(t *testing.T) {
	t.Parallel()
	started := make(chan *worker.Providers, 1)
	s := launch(t, plan{program: worker.Program{Started: func(_ context.Context, p *worker.Providers) error { started <- p; return nil }}})
	providers, ctx, d := <-started, t.Context(), s.http(0)
	unknown := says(t, "needy", "x")
	unknown.RequiredPermissions = []string{"nobody.knows"}
	stop, met := make(chan struct{}), make(chan string, 1)
	go func() {
		defer close(met)
		for {
			select {
			case <-stop:
				return
			default:
			}
			// By way of another tool a call comes to the worker, whatever is listed.
			e := execute(t, d, "acme", `{"calls": [{"tool": "use_tool", "arguments": {"tool_name": "early", "arguments": {}}}]}`).Results[0]
			if e.ErrorType != "tool_not_found" {
				met <- string(e.Result) + e.ErrorType
				return
			}
		}
	}()
	for name, tools := range map[string][]*tool.Tool{
		"unusable": {says(t, "early", "x"), unknown},
		"twice":    {says(t, "early", "x"), says(t, "early", "y")},
		"twins":    {says(t, "early", "x"), says(t, "one.name", "y"), says(t, "one_name", "z")},
		"none":     {says(t, "early", "x"), nil},
	} {
		for range 20 {
			err := providers.Add(ctx, worker.Provider{Name: name, Tools: tools})
			if err == nil {
				t.Fatalf("provider %q was added", name)
			}
		}
	}
	close(stop)
	if got, ok := <-met; ok {
		t.Errorf("a call met a tool of a provider that was refused: %s", got)
	}

	tools, conversations := []*tool.Tool{says(t, "mine", "yes")}, []string{"c1"}
	if err := providers.Add(ctx, worker.Provider{Name: "kept", Tools: tools, For: &tool.Contexts{Conversations: conversations}}); err != nil {
		t.Fatal(err)
	}
	conversations[0], tools[0] = "c2", says(t, "other", "no")
	if err := providers.Add(ctx, worker.Provider{Name: "next", Tools: []*tool.Tool{says(t, "next", "yes")}}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the tool is what was added", func() bool {
		e := execute(t, d, "acme", `{"context": {"conversation": "c1"}, "calls": [{"tool": "mine"}]}`).Results[0]
		return string(e.Result) == `"yes"`
	})
	if n, err := providers.Remove(ctx, "kept"); n != 1 || err != nil {
		t.Errorf("Remove = %d, %v", n, err)
	}
}

// TestProviderThatCannotBeTakenBack: while NATS is away nothing is removed half, and
// it can be removed later.
func TestProviderThatCannotBeTakenBack(t *testing.T) {
	t.Parallel()
	started := make(chan *worker.Providers, 1)
	s := launch(t, plan{program: worker.Program{Started: func(_ context.Context, p *worker.Providers) error { started <- p; return nil }}})
	providers, d := <-started, s.http(0)
	if err := providers.Add(t.Context(), worker.Provider{Name: "p", Tools: []*tool.Tool{says(t, "stays", "here")}}); err != nil {
		t.Fatal(err)
	}
	call := func() element { return execute(t, d, "acme", `{"calls": [{"tool": "stays"}]}`).Results[0] }
	eventually(t, "the tool is known", func() bool { return string(call().Result) == `"here"` })
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if n, err := providers.Remove(over, "p"); n != 0 || err == nil {
		t.Fatalf("Remove = %d, %v, want that it failed", n, err)
	}
	wantResult(t, call(), `"here"`)
	if n, err := providers.Remove(t.Context(), "p"); n != 1 || err != nil {
		t.Errorf("Remove again = %d, %v, want it gone", n, err)
	}
	eventually(t, "it is not listed", func() bool {
		return !strings.Contains(string(d.ask(t, "acme", "tools.list", map[string]string{"q": "stays"}, "").body), `"stays"`)
	})
}

// TestStartedMayStay: a program that adds and removes tools for as long as its context
// lasts does not keep its worker from draining.
func TestStartedMayStay(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	s := launch(t, plan{program: worker.Program{Started: func(ctx context.Context, p *worker.Providers) error {
		defer close(ended)
		if err := p.Add(ctx, worker.Provider{Name: "p", Tools: []*tool.Tool{says(t, "lively", "yes")}}); err != nil {
			return err
		}
		<-ctx.Done()
		return nil
	}}})
	eventually(t, "its tool is known", func() bool {
		return string(execute(t, s.http(0), "acme", `{"calls": [{"tool": "lively"}]}`).Results[0].Result) == `"yes"`
	})
	drained := make(chan error, 1)
	go func() { drained <- s.stop() }()
	select {
	case err := <-drained:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the worker does not drain")
	}
	<-ended
}
