package codingagents

import (
	"context"
	"encoding/json"
	"slices"
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

// limit is applied here too, for whoever runs the tool without the engine.
var limit = tool.Limit{Param: "limit", Max: 50, Default: 10}

var _ = tool.Add(Set, tool.Spec[listArgs, listResult]{
	Name:        "list_task_results",
	Description: "List the coding tasks of the last 30 days, the newest first, each with its agent, the beginning of its prompt, whether it succeeded, its time and its cost.",
	Tags:        []string{"coding", "agent", "result", "history", "sessions"},
	Risk:        tool.Low,
	Mutates:     false,
	Idempotent:  true,
	Errors:      []tool.Kind{},
	Example:     `{"limit":5}`,
	Needs:       tool.NeedDocuments,
	Timeout:     20 * time.Second,
	Limit:       &limit,
	Run:         listTaskResults,
})

func listTaskResults(ctx context.Context, call *tool.Call, args listArgs) (listResult, error) {
	most := limit.Default
	if args.Limit != 0 {
		most = int(max(1, min(args.Limit, float64(limit.Max)))) // a fraction does not count
	}
	ids, err := call.Documents.List(ctx, summaries)
	if err != nil {
		return listResult{}, err
	}
	slices.Reverse(ids) // they sort by time
	res := listResult{Total: len(ids), Results: []summary{}}
	for _, id := range ids[:min(len(ids), most)] {
		doc, err := call.Documents.Get(ctx, summaries, id)
		if err != nil {
			return listResult{}, err
		}
		var s summary
		if doc == nil || json.Unmarshal(doc, &s) != nil { // it was forgotten just now
			res.Total--
			continue
		}
		res.Results = append(res.Results, s)
	}
	res.Count = len(res.Results)
	res.Truncated = res.Count < res.Total
	return res, nil
}
