package customdata

import (
	"context"
	"strings"

	"github.com/helve-dev/helve/tool"
)

type searchArgs struct {
	Table  string `json:"table" doc:"The name or id of the table." min:"1" max:"100"`
	Query  string `json:"query" doc:"Words that a record must have in its texts, dates or JSON values; the beginning of a word is enough." min:"1" max:"1000"`
	Limit  int    `json:"limit,omitempty" doc:"The most records to return, 1 to 50."`
	Offset int    `json:"offset,omitempty" doc:"The number of records to skip." min:"0"`
}

var _ = tool.Add(Set, tool.Spec[searchArgs, *listResult]{
	Name: "search_custom_records",
	Description: "Find the records of one of the person's tables that have all given words, in any of their texts, and return them with " +
		"their ids, newest first.",
	Tags:         []string{"search records", "find", "filter", "query"},
	Example:      `{"table":"reading_list","query":"dune"}`,
	Risk:         tool.Low,
	Confirmation: tool.ConfirmNever,
	Mutates:      false,
	Idempotent:   true,
	Limit:        &tool.Limit{Param: "limit", Default: 20, Max: 50},
	Needs:        tool.NeedStore,
	Errors:       []tool.Kind{tool.NotFound},
	Timeout:      timeout,
	Run:          searchRecords,
})

func searchRecords(ctx context.Context, call *tool.Call, args searchArgs) (*listResult, error) {
	t, err := findTable(ctx, call, args.Table)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(args.Query) == "" {
		return nil, tool.Fail(tool.ValidationError, "query is missing or blank; list_custom_records lists all records")
	}
	return list(ctx, call, t, tool.Query{Text: args.Query, Limit: args.Limit, Offset: args.Offset, Total: true})
}
