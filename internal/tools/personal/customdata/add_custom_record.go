package customdata

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/tool"
)

type addArgs struct {
	Table string      `json:"table" doc:"The name or id of the table." min:"1" max:"100"`
	Data  tool.Object `json:"data" doc:"The values by the names of their columns; describe_custom_table shows the columns."`
}

// oneRecord is the result of a tool that deals with one record.
type oneRecord struct {
	Message string      `json:"message"`
	Record  tool.Object `json:"record" doc:"The id, the value of each column that has one, _createdAt and _updatedAt."`
}

var _ = tool.Add(Set, tool.Spec[addArgs, *oneRecord]{
	Name: "add_custom_record",
	Description: "Add a record (a row) to a table that the person has defined, and return it with its id; " +
		"its values must have the types of the columns.",
	Tags:          []string{"add record", "insert", "add data", "row"},
	Example:       `{"table":"reading_list","data":{"title":"The Left Hand of Darkness","pages":304}}`,
	Risk:          tool.Low,
	Confirmation:  tool.ConfirmNever,
	Mutates:       true,
	Transactional: true,
	Needs:         tool.NeedStore,
	Errors:        []tool.Kind{tool.NotFound},
	Timeout:       timeout,
	Run:           addRecord,
})

func addRecord(ctx context.Context, call *tool.Call, args addArgs) (*oneRecord, error) {
	if err := change(ctx, call); err != nil {
		return nil, err
	}
	t, err := findTable(ctx, call, args.Table)
	if err != nil {
		return nil, err
	}
	v, err := t.Value.new("data", args.Data)
	if err != nil {
		return nil, err
	}
	if err := checkUnique(ctx, call, t, v, ""); err != nil {
		return nil, prefixed("data", err)
	}
	shown, _, err := insert(ctx, call, t, v)
	if err != nil {
		return nil, err
	}
	return &oneRecord{Message: fmt.Sprintf("Record added to %s.", t.Value.Name), Record: shown}, nil
}

// insert stores a record and returns it with its id.
func insert(ctx context.Context, call *tool.Call, t table, v values) (tool.Object, string, error) {
	doc, err := t.Value.document(v)
	if err != nil {
		return nil, "", err
	}
	row, err := call.Store.Insert(ctx, shape(t), doc)
	if err != nil {
		return nil, "", err
	}
	return showRecord(t, row, v), recordID(t, row), nil
}
