package people

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// scheduled is a task as the tools return it.
type scheduled struct {
	Task struct {
		ID      string `json:"id"`
		NextRun string `json:"nextRun"`
	} `json:"task"`
	CallID string `json:"callId"`
}

// ranAs is an entry of a task's history.
type ranAs struct {
	Status string `json:"status"`
	CallID string `json:"callId"`
	Error  string `json:"error"`
}

// resultOf makes a call that must succeed, and decodes its result.
func resultOf[T any](t *testing.T, d system.Door, tenant, user, tool, args string) T {
	t.Helper()
	e := system.Execute(t, d, tenant, system.CallAs(user, fmt.Sprintf(`{"tool": %q, "arguments": %s}`, tool, args))).Results[0]
	var out T
	if err := json.Unmarshal(e.Result, &out); e.Status != "success" || err != nil {
		t.Fatalf("%s(%s) = %s %s %s: %v", tool, args, e.Status, e.ErrorType, e.Message, err)
	}
	return out
}

// history returns the runs of a task, the newest first.
func history(t *testing.T, d system.Door, tenant, user, id string) []ranAs {
	t.Helper()
	return resultOf[struct{ History []ranAs }](t, d, tenant, user, "get_task_history", `{"taskId":"`+id+`"}`).History
}

// ended waits until a task has n runs that have ended.
func ended(t *testing.T, d system.Door, tenant, user, id string, n int) (runs []ranAs) {
	t.Helper()
	queuetest.Until(t, fmt.Sprintf("%d runs of the task have ended", n), func() bool {
		runs = history(t, d, tenant, user, id)
		over := 0
		for _, r := range runs {
			if r.Status != "pending" {
				over++
			}
		}
		return over >= n
	})
	return runs
}

// in is a time in the form of a schedule.
func in(d time.Duration) string { return time.Now().Add(d).UTC().Format(time.RFC3339) }

// TestScheduledCall: a task that is due makes one call in the person's name, however many
// dispatchers there are, and its outcome is in the history.
func TestScheduledCall(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Dispatchers: 2, Workers: 2})
	d, tenant := s.HTTP(0), system.NewTenant()
	made := resultOf[scheduled](t, d, tenant, "ann", "create_scheduled_task",
		`{"name":"Remind me","schedule":"`+in(2*time.Second)+`","toolName":"add_note","toolArgs":{"title":"Call Bob","content":"now"}}`)
	due, err := time.Parse(time.RFC3339, made.Task.NextRun)
	if err != nil {
		t.Fatal(err)
	}
	runs := ended(t, d, tenant, "ann", made.Task.ID, 1)
	if want := (ranAs{Status: "success", CallID: fmt.Sprintf("s-%s-%d", made.Task.ID, due.Unix())}); len(runs) != 1 || runs[0] != want {
		t.Errorf("history %+v, want %+v", runs, want)
	}
	notes := resultOf[struct{ Total int }](t, d, tenant, "ann", "list_notes", `{}`)
	if notes.Total != 1 {
		t.Errorf("the task added %d notes, want 1", notes.Total)
	}
	again := resultOf[scheduled](t, s.HTTP(1), tenant, "ann", "trigger_task", `{"taskId":"`+made.Task.ID+`"}`)
	runs = ended(t, d, tenant, "ann", made.Task.ID, 2)
	if runs[0].Status != "success" || runs[0].CallID != again.CallID {
		t.Errorf("the triggered run is %+v, want %s", runs[0], again.CallID)
	}
	records := string(d.Ask(t, tenant, "audit.query", map[string]string{"call_id": runs[1].CallID}, "").Body)
	for _, member := range []string{`"conversation":"schedule-` + made.Task.ID, `"user":"ann"`, `"origin":"schedule"`} {
		if !strings.Contains(records, member) {
			t.Errorf("the trail has %s, want %s", records, member)
		}
	}
	checkOrigin(t, d, tenant, runs[1].CallID)
}

// checkOrigin checks that calls.get names the schedule that made a call.
func checkOrigin(t *testing.T, d system.Door, tenant, callID string) {
	t.Helper()
	element := string(d.Ask(t, tenant, "calls.get", map[string]string{"call_id": callID}, "").Body)
	if !strings.Contains(element, `"origin":"schedule"`) {
		t.Errorf("calls.get answers %s, want the origin schedule", element)
	}
}

// TestScheduledCallAsks: a run that needs a person waits in that person's inbox, and its
// outcome is in the history once somebody has decided.
func TestScheduledCallAsks(t *testing.T) {
	t.Parallel()
	d, tenant := shared.HTTP(0), system.NewTenant()
	id := resultOf[scheduled](t, d, tenant, "u1", "create_scheduled_task",
		`{"name":"Guarded","schedule":"@daily","toolName":"debug.guarded","toolArgs":{"key":"k"},"enabled":false}`).Task.ID
	run := resultOf[scheduled](t, d, tenant, "u1", "trigger_task", `{"taskId":"`+id+`"}`).CallID
	queuetest.Until(t, "the run waits for a person", func() bool { return len(system.Consents(t, d, tenant, "pending")) == 1 })
	r := system.Consents(t, d, tenant, "pending")[0]
	if r.Tool != "debug.guarded" || r.Call.CallID != run {
		t.Errorf("the request is %+v, want the run %s", r, run)
	}
	checkOrigin(t, d, tenant, run)
	if runs := history(t, d, tenant, "u1", id); len(runs) != 1 || runs[0].Status != "pending" {
		t.Errorf("history %+v before anybody agreed", runs)
	}
	system.Grant(t, shared.HTTP(1), tenant, r.ConsentID)
	if runs := ended(t, d, tenant, "u1", id, 1); runs[0].Status != "success" {
		t.Errorf("history %+v after the grant", runs)
	}
	if lines := system.UserLedger(t, shared, tenant, "u1"); len(lines) != 1 {
		t.Errorf("the ledger has %q, want one entry", lines)
	}
	e := system.Execute(t, d, tenant, system.CallAs("eve", `{"tool": "trigger_task", "arguments": {"taskId":"`+id+`"}}`)).Results[0]
	system.WantError(t, e, "not_found", "Scheduled task not found")
}

// TestScheduledOutage: what was due while no dispatcher was there follows the policy of
// each task, and later times are not affected.
func TestScheduledOutage(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{})
	tenant, due := system.NewTenant(), time.Now().Add(3*time.Second).Truncate(time.Second)
	ids := map[string]string{}
	for _, policy := range []string{"skip", "once"} {
		ids[policy] = resultOf[scheduled](t, s.HTTP(0), tenant, "ann", "create_scheduled_task",
			fmt.Sprintf(`{"name":"x","schedule":"%s","missedRuns":"%s","toolName":"add_note","toolArgs":{"title":"x","content":"x"}}`,
				due.UTC().Format(time.RFC3339), policy)).Task.ID
	}
	if err := s.Drains[0](); err != nil {
		t.Fatal(err)
	}
	queuetest.Until(t, "the runs are late", func() bool { return time.Since(due) > 11*time.Second })
	if _, err := s.AddDispatcher(); err != nil {
		t.Fatal(err)
	}
	d := s.HTTP(1)
	for policy, want := range map[string]string{"skip": "skipped", "once": "success"} {
		if runs := ended(t, d, tenant, "ann", ids[policy], 1); len(runs) != 1 || runs[0].Status != want {
			t.Errorf("%s: %+v, want one run %s", policy, runs, want)
		}
	}
	if notes := resultOf[struct{ Total int }](t, d, tenant, "ann", "list_notes", `{}`); notes.Total != 1 {
		t.Errorf("%d notes were added, want 1", notes.Total)
	}
}
