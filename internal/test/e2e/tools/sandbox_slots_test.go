package tools

import (
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// byUser is asUser for another user.
func byUser(user string, wait int, calls string) string {
	return strings.Replace(system.AsUser(wait, calls), `"u1"`, fmt.Sprintf("%q", user), 1)
}

// slowly is a script that is busy until it is cancelled.
const slowly = `return await utils.callTool("debug.sleep", {ms: 28000})`

// stopCalls ends the calls that a test leaves.
func stopCalls(t *testing.T, d system.Door, tenant string, calls int) {
	t.Helper()
	for i := range calls {
		system.ByID(t, d, "calls.cancel", tenant, fmt.Sprintf("s%d", i))
	}
}

// TestSlowScriptsOfOneUser: one user's slow scripts do not block those of another user of
// the tenant, and a script without a slot waits and runs, as its first attempt.
func TestSlowScriptsOfOneUser(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Config: func(c *config.Config) { c.Sandbox.Children = 4 }})
	tenant, d := system.NewTenant(), s.HTTP(0)
	system.CreateTool(t, s, tenant, system.CustomTool{Name: "slow", Code: slowly})
	system.CreateTool(t, s, tenant, system.CustomTool{Name: "quick", Code: `return 1`})
	asked := system.Execute(t, d, tenant, byUser("u2", 30000, system.CustomTool{Name: "good", Code: `return 2`}.CreateCall(t))).Results[0]
	r := d.Ask(t, tenant, "consent.decide", map[string]string{"consent_id": asked.ConsentID}, `{"decision":"grant"}`)
	if r.Status != 200 {
		t.Fatalf("the decision was answered %d %s", r.Status, r.Body)
	}
	system.Settled(t, d, tenant, asked.CallID)
	const slow = 24
	for i := range slow {
		system.Eventually(t, "slow is known", func() bool {
			return system.Execute(t, d, tenant, system.AsUser(0, fmt.Sprintf(`{"call_id":"s%d","tool":"slow"}`, i))).Results[0].ErrorType == ""
		})
	}
	system.Eventually(t, "good is known and runs", func() bool {
		e := system.Execute(t, d, tenant, byUser("u2", 30000, `{"tool":"good"}`)).Results[0]
		return e.Status == "success"
	})
	for range 10 {
		system.WantResult(t, system.Execute(t, d, tenant, byUser("u2", 30000, `{"tool":"good"}`)).Results[0], "2")
	}
	waits := system.Execute(t, d, tenant, system.AsUser(0, `{"call_id":"later","tool":"quick"}`)).Results[0]
	if waits.Status != "pending" {
		t.Errorf("a call without a slot was answered %v, want it to wait", waits)
	}
	stopCalls(t, d, tenant, slow)
	done := system.Settled(t, d, tenant, "later")
	system.WantResult(t, done, "1")
	if done.Attempt != 1 {
		t.Errorf("it ran as attempt %d, want the first", done.Attempt)
	}
}

// TestNoSlotInTime: a call that gets no slot in its time ends in overloaded, without a
// trace of a start.
func TestNoSlotInTime(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Config: func(c *config.Config) { c.Sandbox.Children = 1 }})
	tenant, d := system.NewTenant(), s.HTTP(0)
	events := s.Listen(t, tenant)
	system.CreateTool(t, s, tenant, system.CustomTool{Name: "slow", Code: `console.log("here"); ` + slowly})
	system.CreateTool(t, s, tenant, system.CustomTool{
		Name:        "writes",
		Code:        `fs.writeFile("x", "x"); return 1`,
		Permissions: []string{"filesystem"},
	})
	system.Eventually(t, "slow runs", func() bool {
		return system.Execute(t, d, tenant, system.AsUser(0, `{"call_id":"s0","tool":"slow"}`)).Results[0].ErrorType == ""
	})
	events.Until("log", "s0")
	for _, ms := range []int{1000, 6000} {
		id := fmt.Sprintf("n%d", ms)
		e := system.Execute(t, d, tenant, system.AsUser(30000, fmt.Sprintf(`{"call_id":%q,"tool":"writes","timeout_ms":%d}`, id, ms))).Results[0]
		system.WantError(t, e, "overloaded", "was not started")
		all, _ := system.QueryRecords(t, d, tenant, map[string]string{"call_id": id})
		if len(all) != 1 || all[0].Phase == "started" {
			t.Errorf("the trail has %+v of a call that never ran, want its end alone", all)
		}
	}
	stopCalls(t, d, tenant, 1)
}
