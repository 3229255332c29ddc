package calls

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/tool"
)

type modeArgs struct {
	Mode  string `json:"mode,omitempty" doc:"read changes nothing." enum:"read,write" default:"read"`
	Force bool   `json:"force,omitempty" doc:"True to change something whatever the mode is."`
}

// TestDirectRead: of a tool that can change something, the calls that read are direct by what
// its definition says, and the others are queued; a call that the definition judges wrongly
// is declined by the worker, queued, and run once.
func TestDirectRead(t *testing.T) {
	t.Parallel()
	p := &paced{t: t}
	p.System = system.Launch(t, system.Plan{Config: func(c *config.Config) {
		c.Dispatcher.DirectUnder, c.Dispatcher.DirectWait = time.Minute, 3*time.Second // a busy machine is slow
	}})
	var writes atomic.Int64
	set := tool.NewSet("Mode", "mode")
	tool.Add(set, tool.Spec[modeArgs, string]{
		Name: "mode_both", Description: "Read or write.", Risk: tool.Low, Mutates: true, Timeout: time.Minute, Pool: "mode",
		Reads:     func(a modeArgs) bool { return a.Mode != "write" && !a.Force },
		Repeats:   func(a modeArgs) bool { return a.Mode != "write" && !a.Force },
		ReadsWhen: &tool.ReadsWhen{Param: "mode", Values: []string{"read"}, Absent: true},
		Run: func(_ context.Context, _ *tool.Call, a modeArgs) (string, error) {
			if a.Mode == "write" || a.Force {
				writes.Add(1)
				return "written", nil
			}
			return "read", nil
		},
	})
	p.AddOwnWorker(t, set, func(c *config.Config) { c.Worker.Pools = []string{"mode"} })
	call := func(arguments, want string) system.Element {
		t.Helper()
		e := system.One(t, p.HTTP(0), "default", fmt.Sprintf(`{"tool": "mode_both", "arguments": %s}`, arguments))
		if string(e.Result) != fmt.Sprintf("%q", want) {
			t.Fatalf("%s = %s, want %s", arguments, e, want)
		}
		return e
	}
	direct := func() float64 { return p.direct("answered") }
	system.Eventually(t, "the tool is there", func() bool {
		return system.One(t, p.HTTP(0), "default", `{"tool": "mode_both"}`).Status == "success"
	})
	for _, arguments := range []string{`{}`, `{"mode": "READ"}`} {
		before := direct()
		system.Eventually(t, arguments+" is direct", func() bool { call(arguments, "read"); return direct() > before })
	}
	before, queued := direct(), p.queued()
	call(`{"mode": "write"}`, "written")
	if direct() != before || p.queued() != queued+1 {
		t.Errorf("a call that writes: %v direct, %d queued, want it queued", direct()-before, p.queued()-queued)
	}
	declined, queued := p.direct("declined"), p.queued()
	e := call(`{"force": true}`, "written")
	if p.direct("declined") != declined+1 || p.queued() != queued+1 || writes.Load() != 2 {
		t.Errorf("a call that was judged wrongly: %v declined, %d queued, %d writes in all; want one, one and two: %s",
			p.direct("declined")-declined, p.queued()-queued, writes.Load(), e)
	}
}
