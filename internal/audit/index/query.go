package index

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/helve-dev/helve/internal/audit"
)

// Query answers with a page of records, oldest first. Its errors are
// [audit.ErrCursor] and those of the database.
func (x *Index) Query(ctx context.Context, q audit.Query) (audit.Page, error) {
	after, err := q.After()
	if err != nil {
		return audit.Page{}, err
	}
	size := q.PageSize()
	var rows []row
	err = x.read(func(db *bun.DB) (err error) {
		limit := size + 1 // one more tells whether there is a next page
		if q.TraceID != "" || q.CallID != "" {
			rows, err = byParts(ctx, db, &q, int64(after), limit)
			return err
		}
		return ask(db, &q, int64(after), limit).Scan(ctx, &rows)
	})
	if err != nil {
		return audit.Page{}, fmt.Errorf("ask the audit index: %w", err)
	}
	page := audit.Page{Records: make([]audit.Record, 0, min(len(rows), size))}
	for i := range rows {
		if i == size {
			page.Next = audit.CursorAt(uint64(rows[size-1].Seq))
			break
		}
		page.Records = append(page.Records, rows[i].record(q.Tenant))
	}
	return page, nil
}

// ask asks for up to limit of the records behind after, the oldest first.
func ask(db *bun.DB, q *audit.Query, after int64, limit int) *bun.SelectQuery {
	res := db.NewSelect().Model((*row)(nil)).Column("seq", "record").
		Where("tenant = ?", key(q.Tenant)).Where("seq > ?", after).Order("seq").Limit(int64(limit))
	for _, field := range [...]struct{ column, want string }{
		{"trace_id", q.TraceID},
		{"call_id", q.CallID},
		{"tool", q.Tool},
		{"user_id", q.User},
		{"agent", q.Agent},
		{"conversation", q.Conversation},
		{"status", q.Status},
		{"error_type", q.ErrorType},
		{"phase", q.Phase},
		{"outcome", q.Outcome},
	} {
		if field.want != "" {
			res.Where("? = ?", bun.Ident(field.column), key(field.want))
		}
		if besides, partial := partly[field.column]; partial && field.want != "" && field.want != besides {
			res.Where("? <> ?", bun.Ident(field.column), bun.Safe("'"+besides+"'")) // in the words of its index
		}
	}
	if !q.From.IsZero() {
		res.Where("time >= ?", q.From.UnixMicro())
	}
	if !q.To.IsZero() {
		res.Where("time < ?", q.To.UnixMicro())
	}
	return res
}

// partly are the columns whose index leaves one value out, and that value.
var partly = map[string]string{"user_id": "", "agent": "", "outcome": audit.Allowed}

// pollEvery is how often Wait looks: about as often as records are written.
const pollEvery = 10 * time.Millisecond

// Wait returns when the records up to seq can be asked for, or with the error
// of ctx. It goes by the database, so it is right in a process that does not
// copy.
func (x *Index) Wait(ctx context.Context, seq uint64) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		if at, err := x.cursor(ctx); err == nil && at >= seq {
			return nil
		}
		select {
		case x.hurry <- struct{}{}: // who copies here need not wait for more
		default:
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// cursor is the place in the stream up to which records were copied.
func (x *Index) cursor(ctx context.Context) (at uint64, err error) {
	err = x.read(func(db *bun.DB) error {
		at, err = cursor(ctx, db)
		return err
	})
	return at, err
}

func cursor(ctx context.Context, db bun.IDB) (at uint64, err error) {
	err = db.NewSelect().Table("audit_cursor").Column("seq").Scan(ctx, &at)
	return at, err
}
