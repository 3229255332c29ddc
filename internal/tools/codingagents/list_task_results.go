package codingagents

import (
	"context"
	"time"

	"github.com/helve-dev/helve/tool"
)

type listArgs struct {
	Limit float64 `json:"limit,omitzero" doc:"Most results to list, at most 50; 10 if left out."`
}

type listResult struct {
	Results   []summary `json:"results" doc:"The newest first."`
	Total     int       `json:"total"`
	Count     int       `json:"count"`
	Truncated bool      `json:"truncated"`
}

// limit is applied here too, for callers that bypass the engine.
var limit = tool.Limit{Param: "limit", Max: 50, Default: 10}

var _ = tool.Add(Set, tool.Spec[listArgs, listResult]{
	Name: "list_task_results",
	Description: "List the coding tasks of the last 30 days, the newest first, each with its agent, the beginning of its prompt, " +
		"whether it succeeded, its time and its cost.",
	Tags:       []string{"coding", "agent", "result", "history", "sessions"},
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Errors:     []tool.Kind{},
	Example:    `{"limit":5}`,
	Needs:      tool.NeedStore,
	Timeout:    20 * time.Second,
	Limit:      &limit,
	Run:        listTaskResults,
})

func listTaskResults(ctx context.Context, call *tool.Call, args listArgs) (listResult, error) {
	most := limit.Default
	if args.Limit != 0 {
		most = int(max(1, min(args.Limit, float64(limit.Max)))) // a fraction is ignored
	}
	found, err := summaries.Query(ctx, call.Store, tool.Query{
		Where: []tool.Condition{tool.Where(tool.FieldCreated, tool.GreaterEqual, call.Clock.Now().Add(-keep))}, Limit: most, Total: true,
	})
	if err != nil {
		return listResult{}, err
	}
	res := listResult{Total: found.Total, Results: make([]summary, len(found.List))}
	for i, r := range found.List {
		res.Results[i] = r.Value
	}
	res.Count = len(res.Results)
	if res.Truncated = res.Count < res.Total; res.Truncated {
		call.Note("showing the newest %d of %d results; set limit (at most %d).", res.Count, res.Total, limit.Max)
	}
	return res, nil
}
