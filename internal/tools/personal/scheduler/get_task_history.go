package scheduler

import (
	"context"
	"fmt"
	"time"

	"github.com/helve-dev/helve/tool"
)

type historyArgs struct {
	TaskID string `json:"taskId" doc:"The id of the task, as list_scheduled_tasks shows it." min:"1" max:"64"`
	Limit  int    `json:"limit,omitempty" doc:"The most runs to return, 1 to 50."`
}

type historyResult struct {
	Task         named   `json:"task"`
	HistoryCount int     `json:"historyCount" doc:"How many runs are returned."`
	Total        int     `json:"total" doc:"How many runs are kept, of the last ones."`
	Truncated    bool    `json:"truncated" doc:"Whether there are more than are returned."`
	History      []entry `json:"history" doc:"The newest first."`
	Message      string  `json:"message"`
}

// named is the name of a task.
type named struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// entry is a run as a model sees it.
type entry struct {
	ExecutionID string `json:"executionId"`
	CallID      string `json:"callId" doc:"The call_id of the run, under which its result is kept for a while."`
	Status      string `json:"status" doc:"pending means that it runs, or waits for a person." enum:"success,error,pending,skipped"`
	Due         string `json:"due"`
	StartedAt   string `json:"startedAt"`
	CompletedAt string `json:"completedAt,omitempty"`
	Duration    string `json:"duration,omitempty"`
	Error       string `json:"error,omitempty"`
}

var _ = tool.Add(Set, tool.Spec[historyArgs, *historyResult]{
	Name:         "get_task_history",
	Description:  "List the last runs of a scheduled task, newest first, with the time, the status and the error of each.",
	Tags:         []string{"task history", "execution log"},
	Example:      `{"taskId":"k3f9q2x7m5ab","limit":5}`,
	Risk:         tool.Low,
	Confirmation: tool.ConfirmNever,
	Mutates:      false,
	Idempotent:   true,
	Limit:        &tool.Limit{Param: "limit", Default: 10, Max: 50},
	Needs:        tool.NeedStore,
	Errors:       []tool.Kind{tool.NotFound},
	Timeout:      timeout,
	Run:          getTaskHistory,
})

func getTaskHistory(ctx context.Context, call *tool.Call, args historyArgs) (*historyResult, error) {
	r, err := find(ctx, call, args.TaskID)
	if err != nil {
		return nil, err
	}
	all, zone := r.Value.History, r.Value.zone()
	res := &historyResult{Task: named{r.ID, r.Value.Name}, Total: len(all), History: []entry{}}
	for i := len(all) - 1; i >= 0 && len(res.History) < args.Limit; i-- {
		h := all[i]
		e := entry{
			ExecutionID: h.CallID, CallID: h.CallID, Status: h.Status, Error: h.Error,
			Due: h.Due.In(zone).Format(time.RFC3339), StartedAt: h.StartedAt.In(zone).Format(time.RFC3339),
		}
		if !h.CompletedAt.IsZero() {
			e.CompletedAt = h.CompletedAt.In(zone).Format(time.RFC3339)
			e.Duration = max(h.CompletedAt.Sub(h.StartedAt), 0).Round(time.Millisecond).String()
		}
		res.History = append(res.History, e)
	}
	res.HistoryCount = len(res.History)
	res.Truncated = res.HistoryCount < res.Total
	res.Message = fmt.Sprintf("%d run(s) of %q.", res.HistoryCount, r.Value.Name)
	return res, nil
}
