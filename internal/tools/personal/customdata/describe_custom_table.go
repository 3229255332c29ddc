package customdata

import (
	"context"
	"fmt"
	"time"

	"github.com/helve-dev/helve/tool"
)

type tableArgs struct {
	Table string `json:"table" doc:"The name or id of the table." min:"1" max:"100"`
}

type stats struct {
	RecordCount int    `json:"recordCount" doc:"The number of records."`
	Bytes       int64  `json:"bytes" doc:"What they take of the bytes that the person may store."`
	LastChange  string `json:"lastChange" doc:"When the table or one of its records was changed last."`
}

type describedTable struct {
	shownTable

	Stats stats `json:"stats"`
}

type describeResult struct {
	Message string         `json:"message"`
	Table   describedTable `json:"table"`
}

var _ = tool.Add(Set, tool.Spec[tableArgs, *describeResult]{
	Name:         "describe_custom_table",
	Description:  "Return which columns a table of the person has, with their types, the number and size of its records, and its last change.",
	Tags:         []string{"table info", "structure", "columns"},
	Example:      `{"table":"reading_list"}`,
	Risk:         tool.Low,
	Confirmation: tool.ConfirmNever,
	Mutates:      false,
	Idempotent:   true,
	Needs:        tool.NeedStore,
	Errors:       []tool.Kind{tool.NotFound},
	Timeout:      timeout,
	Run:          describeTable,
})

func describeTable(ctx context.Context, call *tool.Call, args tableArgs) (*describeResult, error) {
	t, err := findTable(ctx, call, args.Table)
	if err != nil {
		return nil, err
	}
	records, size, err := count(ctx, call, t)
	if err != nil {
		return nil, err
	}
	last, err := call.Store.Query(ctx, shape(t), tool.Query{
		Where: inOrder(),
		Order: []tool.Order{{Field: tool.FieldUpdated, Down: true}},
		Limit: 1,
	})
	if err != nil {
		return nil, err
	}
	at := t.UpdatedAt
	for _, row := range last.Rows {
		if row.UpdatedAt.After(at) {
			at = row.UpdatedAt
		}
	}
	return &describeResult{
		Message: fmt.Sprintf("Table %s: %d column(s), %d record(s).", t.Value.Name, len(t.Value.Columns), records),
		Table:   describedTable{showTable(t), stats{RecordCount: records, Bytes: size, LastChange: at.Format(time.RFC3339)}},
	}, nil
}
