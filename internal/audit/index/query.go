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
	err = x.read(func(db *bun.DB) error {
		ask := db.NewSelect().Model(&rows).Column("seq", "record").
			Where("tenant = ?", key(q.Tenant)).Where("seq > ?", int64(after))
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
				ask.Where("? = ?", bun.Ident(field.column), key(field.want))
			}
			if besides, partial := partly[field.column]; partial && field.want != "" && field.want != besides {
				ask.Where("? <> ?", bun.Ident(field.column), bun.Safe("'"+besides+"'")) // in the words of its index
			}
		}
		if !q.From.IsZero() {
			ask.Where("time >= ?", q.From.UnixMicro())
		}
		if !q.To.IsZero() {
			ask.Where("time < ?", q.To.UnixMicro())
		}
		// One more than asked for tells whether there is a next page.
		return ask.Order("seq").Limit(int64(size) + 1).Scan(ctx)
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
