package schedule

import (
	"strings"

	"github.com/helve-dev/helve/internal/bus/subject"
	"github.com/helve-dev/helve/internal/bus/timers"
	"github.com/helve-dev/helve/tool"
)

const (
	maxCallID    = 128
	maxAgent     = 64
	maxArguments = 1 << 20
)

// refusal returns why a run that a worker names cannot be a run of the task; empty if it
// can. Tasks are data that a person may import, so nothing in them is certain.
func refusal(t timers.Task, run timers.Run) string {
	due, ok := strings.CutPrefix(run.CallID, "s-"+t.ID+"-")
	if !ok {
		due, ok = strings.CutPrefix(run.CallID, "t-"+t.ID+"-") // of trigger_task
	}
	switch {
	case !ok || due == "" || len(run.CallID) > maxCallID || !subject.IsName(run.CallID):
		return "validation_error: the run has a call_id that is not one of its task"
	case !tool.ValidName(run.Tool):
		return "validation_error: the task names no tool"
	case run.Agent != "" && (len(run.Agent) > maxAgent || !subject.IsName(run.Agent)):
		return "validation_error: the agent of the task has no valid name"
	case len(run.Arguments) > maxArguments:
		return "validation_error: the arguments are larger than 1 MiB"
	}
	return ""
}
