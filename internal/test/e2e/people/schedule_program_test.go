package people

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/protocol"
)

// TestScheduledProgram: each run of a task whose tool is a program is a program of its own, which
// sleeps and asks the person in that person's absence; the answer to the deletion of a task names
// those that go on, and they can be cancelled.
func TestScheduledProgram(t *testing.T) {
	t.Parallel()
	d, tenant := shared.HTTP(0), system.NewTenant()
	made := resultOf[scheduled](t, d, tenant, "u1", "create_scheduled_task", `{"name":"Ask me","schedule":"@daily","enabled":false,`+
		`"toolName":"run_program","toolArgs":{"code":"await program.sleep('3s'); return await program.ask('Go on?', {type: 'boolean'})"}}`)
	begin := func() (callID, consentID string) {
		t.Helper()
		callID = resultOf[scheduled](t, d, tenant, "u1", "trigger_task", `{"taskId":"`+made.Task.ID+`"}`).CallID
		queuetest.Until(t, "the program asks", func() bool {
			for _, r := range system.Consents(t, d, tenant, "pending") {
				if strings.HasPrefix(r.Call.CallID, callID+"~") {
					consentID = r.ConsentID
				}
			}
			return consentID != ""
		})
		return callID, consentID
	}
	run, consent := begin()
	if runs := history(t, d, tenant, "u1", made.Task.ID); len(runs) != 1 || runs[0].Status != "pending" {
		t.Errorf("history %+v while the program waits", runs)
	}
	p := untilProgram(t, d, tenant, run)
	if p.Tool != "run_program" || p.User != "u1" || len(p.Steps) != 1 {
		t.Errorf("the run is the program %+v", p)
	}
	checkOrigin(t, d, tenant, run)
	d.Ask(t, tenant, "consent.decide", map[string]string{"consent_id": consent},
		`{"decision": "grant", "context": {"user": "u1"}, "answer": {"answer": true}}`)
	system.WantResult(t, system.Settled(t, d, tenant, run), "true")
	if runs := ended(t, d, tenant, "u1", made.Task.ID, 1); runs[0].Status != "success" || runs[0].CallID != run {
		t.Errorf("history %+v after the answer", runs)
	}

	second, _ := begin()
	if second == run {
		t.Fatal("the second run is the first program")
	}
	id := `{"context": {"user": "u1"}, "calls": [{"tool": "delete_scheduled_task", "arguments": {"taskId":"` + made.Task.ID + `"}}]}`
	asked := system.Execute(t, d, tenant, id).Results[0]
	system.Grant(t, d, tenant, asked.ConsentID)
	deleted := string(system.Settled(t, d, tenant, asked.CallID).Result)
	if !strings.Contains(deleted, "can be cancelled by their call_id: "+second) {
		t.Errorf("the task was deleted as %s", deleted)
	}
	untilProgram(t, d, tenant, second)
	d.Ask(t, tenant, "calls.cancel", map[string]string{"call_id": second}, "")
	system.WantError(t, system.Settled(t, d, tenant, second), "cancelled", "")
}

// untilProgram waits until a program is shown as waiting, and returns it.
func untilProgram(t *testing.T, d system.Door, tenant, callID string) (p protocol.ProgramDetail) {
	t.Helper()
	queuetest.Until(t, callID+" waits", func() bool {
		p = system.Decode[protocol.ProgramDetail](t, d.Ask(t, tenant, "programs.get", map[string]string{"call_id": callID}, ""))
		return p.State == protocol.StateWaiting
	})
	return p
}
