package customdata

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/helve-dev/helve/tool"
)

type updateTableArgs struct {
	Table       string            `json:"table" doc:"The name or id of the table." min:"1" max:"100"`
	DisplayName *string           `json:"displayName,omitempty" doc:"The new title."`
	Rename      map[string]string `json:"rename,omitempty" doc:"New names of columns by their present names, such as {\"pages\":\"page_count\"}."`
	Add         []columnInput     `json:"add,omitempty" doc:"Columns to add, as in create_custom_table. Present records get the defaultValue, which a required column needs." max:"100"`
	Drop        []string          `json:"drop,omitempty" doc:"Names of columns to delete with their values." max:"100"`
}

type updateTableResult struct {
	Message string     `json:"message"`
	Table   shownTable `json:"table"`
	Changed []string   `json:"changed" doc:"The parameters that changed something."`
}

var _ = tool.Add(Set, tool.Spec[updateTableArgs, *updateTableResult]{
	Name: "update_custom_table",
	Description: "Change the title of a person's table, or rename, add and drop its columns, and return the table; " +
		"dropping a column deletes its values.",
	Tags:          []string{"alter table", "new column", "rename column", "drop column"},
	Example:       `{"table":"reading_list","rename":{"pages":"page_count"},"add":[{"name":"author","displayName":"Author","type":"text"}]}`,
	Risk:          tool.Medium,
	Mutates:       true,
	Destructive:   true,
	Transactional: true,
	Loose:         []string{"add"},
	Needs:         tool.NeedStore,
	Errors:        []tool.Kind{tool.NotFound},
	Timeout:       rewriteTimeout,
	Check: func(ctx context.Context, call *tool.Call, args updateTableArgs) error {
		if len(args.Drop) == 0 {
			call.Risk = tool.Low // nothing is lost
		}
		if err := args.check(); err != nil {
			return err
		}
		_, err := findTable(ctx, call, args.Table) // nobody is asked about a table that does not exist
		return err
	},
	Run: updateTable,
})

func (args *updateTableArgs) check() error {
	if args.DisplayName == nil && len(args.Rename) == 0 && len(args.Add) == 0 && len(args.Drop) == 0 {
		return tool.Fail(tool.ValidationError, "nothing to change was given: name at least one of displayName, rename, add, drop")
	}
	return nil
}

func updateTable(ctx context.Context, call *tool.Call, args updateTableArgs) (*updateTableResult, error) {
	if err := args.check(); err != nil {
		return nil, err
	}
	t, err := findTable(ctx, call, args.Table)
	if err != nil {
		return nil, err
	}
	was := t
	was.Value.Columns = slices.Clone(t.Value.Columns)
	changed, err := args.apply(&t.Value)
	if err != nil {
		return nil, err
	}
	if len(changed) == 0 {
		return &updateTableResult{
			Message: fmt.Sprintf("Table %s is like that already; nothing changed.", t.Value.Name),
			Table:   showTable(t),
			Changed: changed,
		}, nil
	}
	if err := args.rewrite(ctx, call, was, t); err != nil {
		return nil, err
	}
	if t, err = tables.Update(ctx, call.Store, t); err != nil {
		return nil, err
	}
	return &updateTableResult{
		Message: fmt.Sprintf("Table updated: %s (%s).", t.Value.Name, strings.Join(changed, ", ")),
		Table:   showTable(t),
		Changed: changed,
	}, nil
}

// apply changes the table, and returns the parameters that changed something. Columns are
// dropped first and added last, so that a name that becomes free can be given again.
func (args *updateTableArgs) apply(t *stored) ([]string, error) {
	changed := []string{}
	if args.DisplayName != nil {
		title, err := display("displayName", *args.DisplayName, t.Name)
		if err != nil {
			return nil, err
		}
		if title != t.DisplayName {
			t.DisplayName, changed = title, append(changed, "displayName")
		}
	}
	for _, name := range args.Drop {
		c, err := t.named(name)
		if err != nil {
			return nil, prefixed("drop", err)
		}
		number := c.Number
		t.Columns = slices.DeleteFunc(t.Columns, func(c column) bool { return c.Number == number })
		changed = append(changed, "drop")
	}
	renamed, err := t.rename(args.Rename)
	if err != nil {
		return nil, err
	}
	if renamed {
		changed = append(changed, "rename")
	}
	if len(args.Add) > 0 {
		changed = append(changed, "add")
	}
	return slices.Compact(changed), t.addColumns("add", args.Add)
}

// rename renames columns, all at the same time, and reports whether a name changed.
func (t *stored) rename(names map[string]string) (bool, error) {
	to := map[int]string{}
	for _, old := range slices.Sorted(maps.Keys(names)) {
		c, err := t.named(old)
		if err != nil {
			return false, prefixed("rename", err)
		}
		name := strings.TrimSpace(names[old])
		if err := checkName("rename."+c.Name, name); err != nil {
			return false, err
		}
		if _, twice := to[c.Number]; twice {
			return false, tool.Fail(tool.ValidationError, "rename: the column %s is to be renamed twice; name it once", c.Name)
		}
		to[c.Number] = name
	}
	changed := false
	seen := map[string]bool{}
	for i := range t.Columns {
		c := &t.Columns[i]
		if name, ok := to[c.Number]; ok && name != c.Name {
			c.Name, changed = name, true
		}
		if seen[strings.ToLower(c.Name)] {
			return false, tool.Fail(tool.ValidationError, "rename: the table would have two columns %q; names differ in more than case", c.Name)
		}
		seen[strings.ToLower(c.Name)] = true
	}
	return changed, nil
}

// rewrite removes the values of dropped columns from all records, and adds the default
// values of new ones.
func (args *updateTableArgs) rewrite(ctx context.Context, call *tool.Call, was, t table) error {
	added := t.Value.Columns[len(t.Value.Columns)-len(args.Add):]
	if len(args.Drop)+len(added) == 0 {
		return nil
	}
	if err := rewrite(ctx, call); err != nil {
		return err
	}
	records, _, err := count(ctx, call, was)
	if err != nil || records == 0 {
		return err
	}
	fill := values{}
	for i, c := range added {
		if c.Required && c.Default == "" {
			return tool.Fail(tool.ValidationError,
				"add[%d]: the column %s is required and the table has %d record(s) without it: give a defaultValue, or leave required out",
				i, c.Name, records)
		}
		if c.Default != "" {
			fill[c.Number] = []byte(c.Default)
		}
	}
	if len(args.Drop) == 0 && len(fill) == 0 {
		return nil
	}
	if err := rewritable(t, records, "delete records first, or copy those to keep into a new table"); err != nil {
		return err
	}
	return each(ctx, call, shape(was), func(row tool.Row) error {
		v, err := t.Value.read(row.Doc) // without what is dropped
		if err != nil {
			return err
		}
		maps.Copy(v, fill)
		doc, err := t.Value.document(v)
		if err != nil {
			return err
		}
		_, err = call.Store.Update(ctx, shape(t), row.ID, row.Revision, doc)
		return err
	})
}
