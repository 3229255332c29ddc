package scheduler

import (
	"context"
	"fmt"
	"time"

	"github.com/helve-dev/helve/tool"
)

type triggerResult struct {
	Task      task    `json:"task"`
	Triggered bool    `json:"triggered"`
	CallID    string  `json:"callId" doc:"The call_id of the run."`
	Result    *string `json:"result" doc:"Always null: get_task_history shows the outcome of the run."`
	Message   string  `json:"message"`
}

var _ = tool.Add(Set, tool.Spec[idArgs, *triggerResult]{
	Name: "trigger_task",
	Description: "Run a scheduled task now, also if it is disabled, and leave its schedule as it is; " +
		"get_task_history shows the outcome of the run.",
	Tags:          []string{"trigger", "run now", "manual run"},
	Example:       `{"taskId":"k3f9q2x7m5ab"}`,
	Risk:          tool.Low,
	Confirmation:  tool.ConfirmNever,
	Mutates:       true,
	Transactional: true,
	Needs:         tool.NeedStore | tool.NeedSchedules,
	Errors:        []tool.Kind{tool.NotFound, tool.NotConfigured},
	Timeout:       timeout,
	Run:           triggerTask,
})

// The delays after which a triggered task is looked at: about when the changes of the call
// are committed, and again if that took longer.
const (
	lookSoon  = 300 * time.Millisecond
	lookAgain = 2500 * time.Millisecond
)

func triggerTask(ctx context.Context, call *tool.Call, args idArgs) (*triggerResult, error) {
	r, err := find(ctx, call, args.TaskID)
	if err != nil {
		return nil, err
	}
	v := &r.Value
	if v.waiting() >= keptRuns {
		return nil, tool.Fail(tool.RateLimited, "%d runs of the task have not ended: they wait for a person, or still run", keptRuns)
	}
	now := call.Clock.Now().UTC()
	id := fmt.Sprintf("t-%s-%d", r.ID, now.UnixMilli())
	v.add(run{CallID: id, Status: pending, Due: now, StartedAt: now})
	if err := lookAt(ctx, call, r.ID, now.Add(lookSoon), now.Add(lookAgain)); err != nil {
		return nil, err
	}
	if r, err = tasks.Update(ctx, call.Store, r); err != nil {
		return nil, err
	}
	return &triggerResult{
		Task:      show(r),
		Triggered: true,
		CallID:    id,
		Message:   fmt.Sprintf("%q runs now; get_task_history shows its outcome.", v.Name),
	}, nil
}
