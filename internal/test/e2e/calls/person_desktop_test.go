package calls

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/tool"
)

// screenSet is a tool of the pool desktop that returns the owner of the call.
func screenSet(of string) *tool.Set {
	set := tool.NewSet("Screen", "screen")
	tool.Add(set, tool.Spec[struct{}, string]{
		Name: "look_at_screen", Description: "Look at the screen; returns whose it is.", Risk: tool.Low, Pool: "desktop", Timeout: time.Minute,
		Idempotent: true,
		Run: func(_ context.Context, call *tool.Call, _ struct{}) (string, error) {
			return of + " for " + call.User, nil
		},
	})
	return set
}

// TestDesktopOfAPerson: calls for the desktop of a person who has a worker go to that
// worker and to no other, and it gets no calls of others.
func TestDesktopOfAPerson(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Dispatchers: 2})
	own := func(user string) (drain func() error) {
		return s.AddOwnWorker(t, screenSet(user), func(c *config.Config) {
			c.Worker.Pools, c.Desktop.Tenant, c.Desktop.User = []string{"desktop"}, "acme", user
		})
	}
	drain := own("ann")
	own("bob")
	look := func(user string) system.Element {
		return system.Execute(t, s.HTTP(0), "acme", system.CallAs(user, `{"tool": "look_at_screen"}`)).Results[0]
	}
	for range 10 {
		for _, user := range []string{"ann", "bob"} {
			if e := look(user); e.Status != "success" || string(e.Result) != `"`+user+" for "+user+`"` {
				t.Errorf("the call of %s: %s %s %s", user, e.ErrorType, e.Message, e.Result)
			}
		}
	}
	if e := look("eve"); e.ErrorType != "tool_not_available" || !strings.Contains(e.Message, "no worker of pool desktop is running") {
		t.Errorf("the call of a person without a desktop: %s %s %s", e.ErrorType, e.Message, e.Result)
	}
	if err := drain(); err != nil {
		t.Fatal(err)
	}
	system.Eventually(t, "the dispatcher knows that the desktop is away", func() bool {
		now := system.Execute(t, s.HTTP(0), "acme", `{"context": {"user": "ann"}, "wait_ms": 0, "calls": [{"tool": "look_at_screen"}]}`)
		return now.Results[0].ErrorType == "tool_not_available"
	})
	// A worker for all users takes the calls of users without one.
	s.AddOwnWorker(t, screenSet("all"), func(c *config.Config) { c.Worker.Pools = []string{"desktop"} })
	if e := look("eve"); string(e.Result) != `"all for eve"` {
		t.Errorf("on the desktop for everybody: %s %s %s", e.ErrorType, e.Message, e.Result)
	}
	if e := look("bob"); string(e.Result) != `"bob for bob"` {
		t.Errorf("bob, who has a desktop: %s %s %s", e.ErrorType, e.Message, e.Result)
	}
}
