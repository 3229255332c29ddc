package customdata

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/internal/lib/listing"
	"github.com/helve-dev/helve/tool"
)

type listTablesArgs struct {
	Offset int `json:"offset,omitempty" doc:"The number of tables to skip." min:"0"`
}

type listTablesResult struct {
	Message string       `json:"message"`
	Tables  []shownTable `json:"tables" doc:"The newest first."`

	listing.Counts
}

var _ = tool.Add(Set, tool.Spec[listTablesArgs, *listTablesResult]{
	Name:         "list_custom_tables",
	Description:  "List the tables that the person has defined, with their columns, newest first.",
	Tags:         []string{"database", "table", "list", "show", "schema"},
	Example:      `{}`,
	Risk:         tool.Low,
	Confirmation: tool.ConfirmNever,
	Mutates:      false,
	Idempotent:   true,
	Needs:        tool.NeedStore,
	Errors:       []tool.Kind{},
	Timeout:      timeout,
	Run:          listTables,
})

func listTables(ctx context.Context, call *tool.Call, args listTablesArgs) (*listTablesResult, error) {
	found, counts, err := listing.Read(ctx, tables, call.Store, tool.Query{Limit: maxTables}, args.Offset)
	if err != nil {
		return nil, err
	}
	res := &listTablesResult{Tables: make([]shownTable, len(found)), Counts: counts}
	for i, t := range found {
		res.Tables[i] = showTable(t)
	}
	res.Message = fmt.Sprintf("%d table(s) found.", res.Total)
	return res, nil
}
