package customdata

import (
	"context"
	"strconv"
	"time"

	"github.com/helve-dev/helve/tool"
)

// maxRewrite bounds the records that one call may change, because it holds them in memory
// until they are committed together.
const maxRewrite = 200_000

// count returns the number of records of a table and the bytes that they take in the store.
func count(ctx context.Context, call *tool.Call, t table) (records int, size int64, err error) {
	groups, err := call.Store.Aggregate(ctx, shape(t), tool.AggregateQuery{Where: inOrder(), Sum: tool.FieldSize})
	if err != nil || len(groups) == 0 {
		return 0, 0, err
	}
	size, err = strconv.ParseInt(string(groups[0].Sum), 10, 64)
	return groups[0].Count, size, err
}

// inOrder returns a condition that every record meets. It has the database read all records
// in the order in which they are stored, not in that of their ids, which reads each page of
// a large table many times.
func inOrder() []tool.Condition {
	return []tool.Condition{tool.Where(tool.FieldCreated, tool.GreaterEqual, time.Unix(0, 0))}
}

// rewritable refuses a table with too many records for f of every record.
func rewritable(t table, records int, instead string) error {
	if records > maxRewrite {
		return tool.Fail(tool.ValidationError, "the table %s has %d records, and one call changes at most %d: %s",
			t.Value.Name, records, maxRewrite, instead)
	}
	return nil
}

// each calls f with every record of a table.
func each(ctx context.Context, call *tool.Call, s *tool.Shape, f func(tool.Row) error) error {
	q := tool.Query{Order: []tool.Order{{Field: tool.FieldID}}, Limit: tool.MaxPage}
	for {
		page, err := call.Store.Query(ctx, s, q)
		if err != nil {
			return err
		}
		for _, row := range page.Rows {
			if err := f(row); err != nil {
				return err
			}
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			return nil
		}
	}
}
