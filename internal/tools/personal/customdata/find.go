package customdata

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// tablesLock orders the calls that give a table its name.
const tablesLock = "custom_tables"

// findTable returns a table by its name, in any case, or its id.
func findTable(ctx context.Context, call *tool.Call, name string) (table, error) {
	trimmed := strings.TrimSpace(name)
	if trimmed == "" {
		return table{}, tool.Fail(tool.ValidationError, "table is missing or blank; list_custom_tables shows the tables")
	}
	if strings.ContainsRune(trimmed, 0) { // no database takes it
		return table{}, tool.Fail(tool.NotFound, "Table not found: %.80q; list_custom_tables shows the tables", name)
	}
	found, err := tables.Query(ctx, call.Store, tool.Query{
		Where: []tool.Condition{tool.Where("key", tool.Equal, strings.ToLower(trimmed))}, Limit: 1,
	})
	if err != nil {
		return table{}, err
	}
	if len(found.List) == 1 {
		return found.List[0], nil
	}
	t, err := tables.Get(ctx, call.Store, trimmed)
	if e := tool.AsError(err); e != nil && e.Kind == tool.NotFound {
		return t, tool.Fail(tool.NotFound, "Table not found: %.80s; list_custom_tables shows the tables", name)
	}
	return t, err
}

// idMark separates the id of the table from the rest of the id of a record.
const idMark = "-"

// recordID returns the id of a record as a model sees it.
func recordID(t table, row tool.Row) string { return t.ID + idMark + row.ID }

// findRecord returns a record and its table. A table that is given must be the record's.
func findRecord(ctx context.Context, call *tool.Call, name, id string) (table, tool.Row, error) {
	missing := tool.Fail(tool.NotFound, "Record not found: %.80s; list_custom_records shows the records of a table with their ids", id)
	var asked table
	var err error
	if strings.TrimSpace(name) != "" {
		if asked, err = findTable(ctx, call, name); err != nil {
			return table{}, tool.Row{}, err
		}
	}
	tableID, rowID, ok := strings.Cut(strings.TrimSpace(id), idMark)
	if !ok || strings.ContainsRune(id, 0) || asked.ID != "" && asked.ID != tableID {
		return table{}, tool.Row{}, missing
	}
	t, err := tables.Get(ctx, call.Store, tableID)
	var row tool.Row
	if err == nil {
		row, err = call.Store.Get(ctx, shape(t), rowID)
	}
	if e := tool.AsError(err); e != nil && e.Kind == tool.NotFound {
		return table{}, tool.Row{}, missing
	}
	return t, row, err
}

// changers is the number of locks that calls share which change records. A call takes one
// of them, so that calls beside each other seldom take the same.
const changers = 256

// change lets a call change records beside others, and has it run again if a call that
// rewrites a table comes first.
func change(ctx context.Context, call *tool.Call) error {
	h := fnv.New32a()
	_, _ = h.Write([]byte(call.ID))
	return call.Store.Touch(ctx, lockName(int(h.Sum32()%changers)))
}

// rewrite lets a call change a table and all of its records, while no other changes any.
func rewrite(ctx context.Context, call *tool.Call) error {
	for i := range changers {
		if err := call.Store.Touch(ctx, lockName(i)); err != nil {
			return err
		}
	}
	return nil
}

func lockName(n int) string { return fmt.Sprintf("custom_records_%d", n) }
