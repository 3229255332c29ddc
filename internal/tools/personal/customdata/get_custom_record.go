package customdata

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/tool"
)

type recordArgs struct {
	RecordID string `json:"recordId" doc:"The id of the record, as list_custom_records shows it." min:"1" max:"100"`
	Table    string `json:"table,omitempty" doc:"The name or id of its table; if it is given, the record must be there." max:"100"`
}

var _ = tool.Add(Set, tool.Spec[recordArgs, *oneRecord]{
	Name:         "get_custom_record",
	Description:  "Return one record of the person's tables by its id, with its values and times.",
	Tags:         []string{"get record", "detail", "single record"},
	Example:      `{"table":"reading_list","recordId":"k3f9q2x7m5ab-k3f9q2x7m5ab"}`,
	Risk:         tool.Low,
	Confirmation: tool.ConfirmNever,
	Mutates:      false,
	Idempotent:   true,
	Needs:        tool.NeedStore,
	Errors:       []tool.Kind{tool.NotFound},
	Timeout:      timeout,
	Run:          getRecord,
})

func getRecord(ctx context.Context, call *tool.Call, args recordArgs) (*oneRecord, error) {
	t, row, err := findRecord(ctx, call, args.Table, args.RecordID)
	if err != nil {
		return nil, err
	}
	shown, err := showRow(t, row)
	return &oneRecord{Message: fmt.Sprintf("Record of %s found.", t.Value.Name), Record: shown}, err
}
