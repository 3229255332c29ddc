package customdata

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/tool"
)

type deleteTableArgs struct {
	Table   string `json:"table" doc:"The name or id of the table." min:"1" max:"100"`
	Confirm *bool  `json:"confirm,omitempty" doc:"Set to true to confirm the deletion; false refuses it."`
}

type deletedTable struct {
	shownTable

	RecordCount int `json:"recordCount" doc:"The number of records that were deleted with it."`
}

type deleteTableResult struct {
	Message string       `json:"message"`
	Deleted deletedTable `json:"deleted"`
}

var _ = tool.Add(Set, tool.Spec[deleteTableArgs, *deleteTableResult]{
	Name:          "delete_custom_table",
	Description:   "Delete a table of the person with all of its records for ever, and return the table.",
	Tags:          []string{"drop table", "remove table"},
	Example:       `{"table":"reading_list","confirm":true}`,
	Risk:          tool.Medium,
	Mutates:       true,
	Destructive:   true,
	Transactional: true,
	Needs:         tool.NeedStore,
	Errors:        []tool.Kind{tool.NotFound},
	Timeout:       rewriteTimeout,
	Check: func(ctx context.Context, call *tool.Call, args deleteTableArgs) error {
		if args.Confirm != nil && !*args.Confirm {
			return tool.Fail(tool.ValidationError,
				"confirm is false, so the table %.80s was not deleted; set confirm to true to delete it with all of its records", args.Table)
		}
		_, err := findTable(ctx, call, args.Table) // nobody is asked about a table that does not exist
		return err
	},
	Run: deleteTable,
})

func deleteTable(ctx context.Context, call *tool.Call, args deleteTableArgs) (*deleteTableResult, error) {
	t, err := findTable(ctx, call, args.Table)
	if err != nil {
		return nil, err
	}
	if err := rewrite(ctx, call); err != nil {
		return nil, err
	}
	records, _, err := count(ctx, call, t)
	if err == nil {
		err = rewritable(t, records, "delete records first")
	}
	if err != nil {
		return nil, err
	}
	s := shape(t)
	n := 0
	err = each(ctx, call, s, func(row tool.Row) error {
		n++
		return call.Store.Delete(ctx, s, row.ID, row.Revision)
	})
	if err != nil {
		return nil, err
	}
	if err := tables.Delete(ctx, call.Store, t); err != nil {
		return nil, err
	}
	return &deleteTableResult{
		Message: fmt.Sprintf("Table deleted: %s, with %d record(s).", t.Value.Name, n),
		Deleted: deletedTable{showTable(t), n},
	}, nil
}
