package customdata

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/tool"
)

type deleteResult struct {
	Message string      `json:"message"`
	Deleted tool.Object `json:"deleted" doc:"The record that was deleted."`
}

var _ = tool.Add(Set, tool.Spec[recordArgs, *deleteResult]{
	Name:          "delete_custom_record",
	Description:   "Delete one record of the person's tables for ever, by its id, and return what was deleted.",
	Tags:          []string{"delete record", "remove"},
	Example:       `{"table":"reading_list","recordId":"k3f9q2x7m5ab-k3f9q2x7m5ab"}`,
	Risk:          tool.Medium,
	Mutates:       true,
	Destructive:   true,
	Transactional: true,
	Needs:         tool.NeedStore,
	Errors:        []tool.Kind{tool.NotFound},
	Timeout:       timeout,
	Check: func(ctx context.Context, call *tool.Call, args recordArgs) error {
		_, _, err := findRecord(ctx, call, args.Table, args.RecordID) // nobody is asked about an id that does not exist
		return err
	},
	Run: deleteRecord,
})

func deleteRecord(ctx context.Context, call *tool.Call, args recordArgs) (*deleteResult, error) {
	t, row, err := findRecord(ctx, call, args.Table, args.RecordID)
	if err != nil {
		return nil, err
	}
	shown, err := showRow(t, row)
	if err != nil {
		return nil, err
	}
	if err := call.Store.Delete(ctx, shape(t), row.ID, row.Revision); err != nil {
		return nil, err
	}
	return &deleteResult{Message: fmt.Sprintf("Record deleted from %s: %s.", t.Value.Name, recordID(t, row)), Deleted: shown}, nil
}
