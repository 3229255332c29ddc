package calls

import (
	"context"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/worker"
)

// TestProviderIsWhole: no call sees a part of a refused provider, and later changes of the
// program's lists have no effect.
func TestProviderIsWhole(t *testing.T) {
	t.Parallel()
	started := make(chan *worker.Providers, 1)
	s := system.Launch(t, system.Plan{
		Program: worker.Program{Started: func(_ context.Context, p *worker.Providers) error { started <- p; return nil }},
	})
	providers, ctx, d := system.Receive(t, "the worker has started", started), system.Context(t), s.HTTP(0)
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
			// Through another tool a call reaches the worker, whether or not it is listed.
			e := system.Execute(t, d, "acme", `{"calls": [{"tool": "use_tool", "arguments": {"tool_name": "early", "arguments": {}}}]}`).Results[0]
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
	if got := system.Receive(t, "the caller has stopped", met); got != "" {
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
	system.Eventually(t, "the tool is what was added", func() bool {
		e := system.Execute(t, d, "acme", `{"context": {"conversation": "c1"}, "calls": [{"tool": "mine"}]}`).Results[0]
		return string(e.Result) == `"yes"`
	})
	if n, err := providers.Remove(ctx, "kept"); n != 1 || err != nil {
		t.Errorf("Remove = %d, %v", n, err)
	}
}

// TestProviderThatCannotBeTakenBack: while NATS is unreachable nothing is partly removed,
// and it can be removed later.
func TestProviderThatCannotBeTakenBack(t *testing.T) {
	t.Parallel()
	started := make(chan *worker.Providers, 1)
	s := system.Launch(t, system.Plan{
		Program: worker.Program{Started: func(_ context.Context, p *worker.Providers) error { started <- p; return nil }},
	})
	providers, d := system.Receive(t, "the worker has started", started), s.HTTP(0)
	if err := providers.Add(system.Context(t), worker.Provider{Name: "p", Tools: []*tool.Tool{says(t, "stays", "here")}}); err != nil {
		t.Fatal(err)
	}
	call := func() system.Element {
		return system.Execute(t, d, "acme", `{"calls": [{"tool": "stays"}]}`).Results[0]
	}
	system.Eventually(t, "the tool is known", func() bool { return string(call().Result) == `"here"` })
	over, cancel := context.WithCancel(system.Context(t))
	cancel()
	if n, err := providers.Remove(over, "p"); n != 0 || err == nil {
		t.Fatalf("Remove = %d, %v, want that it failed", n, err)
	}
	system.WantResult(t, call(), `"here"`)
	if n, err := providers.Remove(system.Context(t), "p"); n != 1 || err != nil {
		t.Errorf("Remove again = %d, %v, want it gone", n, err)
	}
	system.Eventually(t, "it is not listed", func() bool {
		return !strings.Contains(string(d.Ask(t, "acme", "tools.list", map[string]string{"q": "stays"}, "").Body), `"stays"`)
	})
}

// TestStartedMayStay: a program that adds and removes tools until its context ends does not
// prevent its worker from draining.
func TestStartedMayStay(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	s := system.Launch(t, system.Plan{Program: worker.Program{Started: func(ctx context.Context, p *worker.Providers) error {
		defer close(ended)
		if err := p.Add(ctx, worker.Provider{Name: "p", Tools: []*tool.Tool{says(t, "lively", "yes")}}); err != nil {
			return err
		}
		<-ctx.Done()
		return nil
	}}})
	system.Eventually(t, "its tool is known", func() bool {
		return string(system.Execute(t, s.HTTP(0), "acme", `{"calls": [{"tool": "lively"}]}`).Results[0].Result) == `"yes"`
	})
	if err := s.Stop(); err != nil {
		t.Errorf("the system did not drain: %v", err)
	}
	system.Receive(t, "the program's own start has ended", ended)
}
