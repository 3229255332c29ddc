package scheduler

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/tool"
)

type listArgs struct {
	IncludeDisabled bool   `json:"includeDisabled,omitempty" doc:"Whether disabled tasks are listed too."`
	Type            string `json:"type,omitempty" doc:"Only tasks of this type." enum:"prompt,tool"`
	Limit           int    `json:"limit,omitempty" doc:"The most tasks to return, 1 to 50."`
	Offset          int    `json:"offset,omitempty" doc:"How many tasks to leave out before the first." min:"0" max:"100000"`
}

type listResult struct {
	Message   string `json:"message"`
	Tasks     []task `json:"tasks" doc:"The newest first."`
	Total     int    `json:"total" doc:"How many tasks match."`
	Count     int    `json:"count" doc:"How many are returned."`
	Truncated bool   `json:"truncated" doc:"Whether there are more than are returned."`
}

var _ = tool.Add(Set, tool.Spec[listArgs, *listResult]{
	Name:         "list_scheduled_tasks",
	Description:  "List the person's scheduled tasks, newest first, with their ids, schedules and next runs.",
	Tags:         []string{"schedules", "cron list", "automations", "list", "scheduled", "what is scheduled"},
	Example:      `{"includeDisabled":true}`,
	Risk:         tool.Low,
	Confirmation: tool.ConfirmNever,
	Mutates:      false,
	Idempotent:   true,
	Limit:        &tool.Limit{Param: "limit", Default: 50, Max: 50},
	Needs:        tool.NeedStore,
	Errors:       []tool.Kind{},
	Timeout:      timeout,
	Run:          listScheduledTasks,
})

func listScheduledTasks(ctx context.Context, call *tool.Call, args listArgs) (*listResult, error) {
	q := tool.Query{Limit: min(args.Limit+args.Offset, tool.MaxPage), Total: true}
	if !args.IncludeDisabled {
		q.Where = append(q.Where, tool.Where("enabled", tool.Equal, true))
	}
	if args.Type != "" {
		q.Where = append(q.Where, tool.Where("type", tool.Equal, args.Type))
	}
	res := &listResult{Tasks: []task{}}
	for left := args.Offset; len(res.Tasks) < args.Limit; {
		page, err := tasks.Query(ctx, call.Store, q)
		if err != nil {
			return nil, err
		}
		res.Total = page.Total
		for _, r := range page.List {
			if left--; left < 0 && len(res.Tasks) < args.Limit {
				res.Tasks = append(res.Tasks, show(r))
			}
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			break
		}
	}
	res.Count = len(res.Tasks)
	res.Truncated = args.Offset+res.Count < res.Total
	res.Message = fmt.Sprintf("%d scheduled task(s) found.", res.Total)
	if res.Truncated {
		res.Message = fmt.Sprintf("%d of %d scheduled task(s); use offset to see others.", res.Count, res.Total)
	}
	return res, nil
}
