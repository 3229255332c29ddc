package schedule

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/timers"
	"github.com/helve-dev/helve/internal/dispatch"
)

// TestRefusal: a run must be a possible run of its task.
func TestRefusal(t *testing.T) {
	good := timers.Run{CallID: "s-k3f9-1764000000", Tool: "add_note", Agent: "helper", Arguments: []byte(`{}`)}
	for want, change := range map[string]func(*timers.Run){
		"":                func(*timers.Run) {},
		" ":               func(r *timers.Run) { r.CallID, r.Agent, r.Arguments = "t-k3f9-1764000000123", "", nil },
		"call_id another": func(r *timers.Run) { r.CallID = "s-other-1764000000" },
		"call_id none":    func(r *timers.Run) { r.CallID = "s-k3f9-" },
		"call_id *":       func(r *timers.Run) { r.CallID = "s-k3f9-*" },
		"call_id .":       func(r *timers.Run) { r.CallID = "s-k3f9-1.fence" },
		"call_id long":    func(r *timers.Run) { r.CallID += strings.Repeat("0", 128) },
		"tool":            func(r *timers.Run) { r.Tool = "a b" },
		"agent":           func(r *timers.Run) { r.Agent = "a.b" },
		"arguments":       func(r *timers.Run) { r.Arguments = make([]byte, 2<<20) },
	} {
		run := good
		change(&run)
		word, _, _ := strings.Cut(want, " ")
		if got := refusal(someTask, run); !strings.Contains(got, word) || (word == "") != (got == "") {
			t.Errorf("%s: %q", want, got)
		}
	}
}

// TestForeignRun: a run that is not of its task is not made, and ends in an error; the
// others are made.
func TestForeignRun(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.work = func() (timers.Work, error) {
		return timers.Work{
			Runs: []timers.Run{{CallID: "somebodys", Tool: "add_note"}, {CallID: "s-k3f9-1", Tool: "add_note"}, {CallID: "s-k3f9-2", Tool: "*"}},
		}, nil
	}
	s.execute = func(dispatch.Request) (dispatch.Response, error) {
		return answer(`{"status":"success","attempt":1}`), nil
	}
	s.fire(t)
	queuetest.Until(t, "the outcomes are stored", func() bool { return len(s.outcomes()) == 3 })
	var failed []string
	for _, o := range s.outcomes() {
		id, why, _ := strings.Cut(o, "=")
		failed = append(failed, id+" "+strings.SplitAfter(why+":", ":")[0])
	}
	if diff := cmp.Diff([]string{"somebodys validation_error:", "s-k3f9-2 validation_error:", "s-k3f9-1 :"}, failed); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if made := s.calls(); len(made) != 1 || len(made[0].Calls) != 1 || made[0].Calls[0].ID != "s-k3f9-1" {
		t.Errorf("made %+v", made)
	}
}
