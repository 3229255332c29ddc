package customdata

import (
	"context"
	"fmt"
	"strings"

	"github.com/helve-dev/helve/tool"
)

type createArgs struct {
	Table       string        `json:"table" doc:"The name: a letter, then letters, digits and _, at most 63 characters, such as reading_list." alias:"name"`
	DisplayName string        `json:"displayName,omitempty" doc:"A title for people; made from the name if it is left out."`
	Description string        `json:"description,omitempty" doc:"What the table is for."`
	Columns     []columnInput `json:"columns" doc:"The columns, 1 to 100." min:"1" max:"100"`
}

var _ = tool.Add(Set, tool.Spec[createArgs, *oneTable]{
	Name: "create_custom_table",
	Description: "Create a table of a person's own data with typed columns, and return it; not for tasks, notes, bookmarks, contacts, " +
		"events, expenses, goals or memories, which have tools of their own.",
	Tags: []string{"create table", "database", "new table"},
	Example: `{"table":"wine_cellar","description":"Bottles that we have","columns":[{"name":"name","displayName":"Name","type":"text","required":true},` +
		`{"name":"year","displayName":"Year","type":"number"},{"name":"opened","displayName":"Opened","type":"boolean","defaultValue":false}]}`,
	Risk:          tool.Low,
	Confirmation:  tool.ConfirmNever,
	Mutates:       true,
	Transactional: true,
	Loose:         []string{"columns"},
	Needs:         tool.NeedStore,
	Errors:        []tool.Kind{},
	Timeout:       timeout,
	Run:           createTable,
})

func createTable(ctx context.Context, call *tool.Call, args createArgs) (*oneTable, error) {
	v := stored{Name: strings.TrimSpace(args.Table), Description: strings.TrimSpace(args.Description)}
	if err := checkName("table", v.Name); err != nil {
		return nil, err
	}
	v.Key = strings.ToLower(v.Name)
	var err error
	if v.DisplayName, err = display("displayName", args.DisplayName, v.Name); err != nil {
		return nil, err
	}
	if err := checkText("description", v.Description, maxDescription); err != nil {
		return nil, err
	}
	if err := v.addColumns("columns", args.Columns); err != nil {
		return nil, err
	}
	if err := call.Store.Touch(ctx, tablesLock); err != nil {
		return nil, err
	}
	if err := free(ctx, call, v.Name); err != nil {
		return nil, err
	}
	r, err := tables.Insert(ctx, call.Store, v)
	if err != nil {
		return nil, err
	}
	return &oneTable{Message: fmt.Sprintf("Table created: %s, with %d column(s).", v.Name, len(v.Columns)), Table: showTable(r)}, nil
}

// free refuses a name that another table has, and a table beyond the most.
func free(ctx context.Context, call *tool.Call, name string) error {
	other, err := findTable(ctx, call, name)
	if err == nil {
		return tool.Fail(tool.ValidationError,
			"table: there is a table %s already; add records to it, change it by update_custom_table, or choose another name", other.Value.Name)
	}
	if e := tool.AsError(err); e.Kind != tool.NotFound {
		return err
	}
	all, err := tables.Aggregate(ctx, call.Store, tool.AggregateQuery{})
	if err == nil && len(all) == 1 && all[0].Count >= maxTables {
		return tool.Fail(tool.RateLimited, "there are %d tables, and a person may have at most %d: delete a table with delete_custom_table first",
			all[0].Count, maxTables)
	}
	return err
}
