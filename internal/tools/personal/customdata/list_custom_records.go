package customdata

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/internal/lib/listing"
	"github.com/helve-dev/helve/tool"
)

type listArgs struct {
	Table  string      `json:"table" doc:"The name or id of the table." min:"1" max:"100"`
	Limit  int         `json:"limit,omitempty" doc:"The most records to return, 1 to 50."`
	Offset int         `json:"offset,omitempty" doc:"The number of records to skip." min:"0"`
	Filter tool.Object `json:"filter,omitempty" doc:"Columns and the values that a record must have in all of them, such as {\"finished\":true}; null is no value."`
}

type listResult struct {
	Message string        `json:"message"`
	Records []tool.Object `json:"records" doc:"The newest first, each with its id, the value of each column that has one, _createdAt and _updatedAt."`
	HasMore bool          `json:"hasMore" doc:"Whether more records follow these."`

	listing.Counts
}

var _ = tool.Add(Set, tool.Spec[listArgs, *listResult]{
	Name: "list_custom_records",
	Description: "List the records of one of the person's tables, newest first, all or those with given values, and return them with " +
		"their ids.",
	Tags:         []string{"records", "list", "data", "rows"},
	Example:      `{"table":"reading_list","filter":{"finished":false},"limit":10}`,
	Risk:         tool.Low,
	Confirmation: tool.ConfirmNever,
	Mutates:      false,
	Idempotent:   true,
	Limit:        &tool.Limit{Param: "limit", Default: 20, Max: 50},
	Needs:        tool.NeedStore,
	Errors:       []tool.Kind{tool.NotFound},
	Timeout:      timeout,
	Run:          listRecords,
})

func listRecords(ctx context.Context, call *tool.Call, args listArgs) (*listResult, error) {
	t, err := findTable(ctx, call, args.Table)
	if err != nil {
		return nil, err
	}
	where, err := t.Value.filter(args.Filter)
	if err != nil {
		return nil, err
	}
	return list(ctx, call, t, tool.Query{Where: where, Limit: args.Limit, Offset: args.Offset, Total: true})
}

// list returns the records of a table that a query selects.
func list(ctx context.Context, call *tool.Call, t table, q tool.Query) (*listResult, error) {
	page, err := call.Store.Query(ctx, shape(t), q)
	if err != nil {
		return nil, err
	}
	res := &listResult{
		Records: make([]tool.Object, len(page.Rows)),
		HasMore: page.Next != "",
		Counts:  listing.CountsOf(page.Total, q.Offset, len(page.Rows)),
	}
	for i, row := range page.Rows {
		if res.Records[i], err = showRow(t, row); err != nil {
			return nil, err
		}
	}
	res.Message = fmt.Sprintf("%d record(s) found in %s.", res.Total, t.Value.Name)
	if res.Count < res.Total {
		res.Message = fmt.Sprintf(
			"%d of %d record(s) in %s, the newest first, after %d; use offset, filter or search_custom_records to see others.", res.Count, res.Total,
			t.Value.Name, q.Offset,
		)
	}
	return res, nil
}
