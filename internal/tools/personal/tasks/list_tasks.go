package tasks

import (
	"context"
	"fmt"
	"strings"

	"github.com/helve-dev/helve/internal/lib/listing"
	"github.com/helve-dev/helve/tool"
)

type listArgs struct {
	Status   string `json:"status,omitempty" doc:"Only tasks of this status." enum:"pending,in_progress,completed,cancelled"`
	Priority string `json:"priority,omitempty" doc:"Only tasks of this priority." enum:"low,normal,high,urgent"`
	Category string `json:"category,omitempty" doc:"Only tasks of this category."`
	Search   string `json:"search,omitempty" doc:"Words that the title must have; the beginning of a word is enough."`
	Limit    int    `json:"limit,omitempty" doc:"The most tasks to return, 1 to 50."`
	Offset   int    `json:"offset,omitempty" doc:"How many tasks to skip."`
}

type listResult struct {
	Message string `json:"message"`
	Tasks   []task `json:"tasks" doc:"The newest first."`

	listing.Counts
}

var _ = tool.Add(Set, tool.Spec[listArgs, *listResult]{
	Name: "list_tasks",
	Description: "List the person's tasks, newest first, by status, priority, category or words of the title, and return them with " +
		"their ids.",
	Tags:         []string{"tasks", "todos", "list", "show", "pending"},
	Example:      `{"status":"pending","limit":10}`,
	Risk:         tool.Low,
	Confirmation: tool.ConfirmNever,
	Mutates:      false,
	Idempotent:   true,
	Limit:        &tool.Limit{Param: "limit", Default: 20, Max: 50},
	Needs:        tool.NeedStore,
	Errors:       []tool.Kind{},
	Timeout:      timeout,
	Run:          listTasks,
})

func listTasks(ctx context.Context, call *tool.Call, args listArgs) (*listResult, error) {
	q := tool.Query{Text: args.Search, Limit: args.Limit}
	for _, want := range [][2]string{{"status", args.Status}, {"priority", args.Priority}, {"category", strings.TrimSpace(args.Category)}} {
		if want[1] != "" {
			q.Where = append(q.Where, tool.Where(want[0], tool.Equal, want[1]))
		}
	}
	found, counts, err := listing.Read(ctx, tasks, call.Store, q, args.Offset)
	if err != nil {
		return nil, err
	}
	res := &listResult{Tasks: make([]task, len(found)), Counts: counts}
	for i, r := range found {
		res.Tasks[i] = show(r)
	}
	res.Message = fmt.Sprintf("%d task(s) found.", res.Total)
	if res.Truncated {
		res.Message = fmt.Sprintf("%d of %d task(s), the newest; narrow the list by status, category or search to see others, or set offset.",
			res.Count, res.Total)
	}
	return res, nil
}
