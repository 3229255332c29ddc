package scheduler

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// mostProgram bounds the time that the arguments of a program may allow it.
const mostProgram = 30 * 24 * time.Hour

// mayTake returns the time for which a run that is a program may wait.
func (v *stored) mayTake() time.Duration {
	if !v.Durable {
		return 0
	}
	var args struct {
		Seconds float64 `json:"timeout_seconds"`
	}
	if json.Unmarshal(v.ToolArgs, &args) != nil || args.Seconds <= 0 {
		return 0 // an hour, which the time for lost runs covers
	}
	return time.Duration(min(args.Seconds, mostProgram.Seconds()) * float64(time.Second))
}

// openRuns returns the calls of the runs that have not ended, the oldest first.
func (v *stored) openRuns() (ids []string) {
	for _, h := range v.History {
		if h.Status == pending {
			ids = append(ids, h.CallID)
		}
	}
	return ids
}

// underWay returns what happens to the runs that have not ended when a task is deleted or switched
// off, as a sentence after others; empty if there are none.
func (v *stored) underWay() string {
	ids := v.openRuns()
	if len(ids) == 0 {
		return ""
	}
	const most = 5
	shown := strings.Join(ids[:min(len(ids), most)], ", ")
	if len(ids) > most {
		shown += fmt.Sprintf(" and %d more", len(ids)-most)
	}
	return fmt.Sprintf(" Runs that have not ended go on, and can be cancelled by their call_id: %s.", shown)
}
