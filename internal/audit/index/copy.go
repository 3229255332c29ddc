package index

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/uptrace/bun"
)

const (
	// A transaction holds as many records, or bytes of them, or what came in
	// this time or until somebody waits for it: a commit costs as much as many
	// records.
	batchRecords = 8000
	batchBytes   = 8 << 20
	batchWindow  = 200 * time.Millisecond
	// ahead is how many records are made ready while others are written.
	ahead = 2000
	// writeWithin is when a transaction has hung, and the connection is given
	// up.
	writeWithin = time.Minute
)

// copier is one try at copying.
type copier struct {
	src   Source
	conn  bun.IDB
	db    database
	again <-chan struct{} // it must begin anew
	hurry <-chan struct{} // somebody waits for what is there

	at   uint64 // the records up to here are copied
	last []byte // the record at at, if the index has it
}

// begin finds where the index stopped.
func (c *copier) begin(ctx context.Context) error {
	at, err := cursor(ctx, c.conn)
	if err != nil {
		return fmt.Errorf("find where the index stopped: %w", err)
	}
	c.at = at
	first, last, err := c.src.Range(ctx)
	if err != nil {
		return fmt.Errorf("ask the stream: %w", err)
	}
	if last < at {
		return errReplaced
	}
	if to := behindFirst(at, first); to > at {
		// What the stream keeps no longer will not come, and nobody waits for it.
		if err := c.move(ctx, c.conn, to); err != nil {
			return err
		}
		c.at = to
	}
	err = c.conn.NewSelect().Model((*row)(nil)).Column("record").Where("seq = ?", int64(c.at)).Scan(ctx, &c.last)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("find where the index stopped: %w", err)
	}
	return nil
}

// move says in the database that the records up to at are copied. It fails when
// another process has moved it meanwhile: two that copy at once must not leave
// a gap between them.
func (c *copier) move(ctx context.Context, db bun.IDB, at uint64) error {
	res, err := db.NewUpdate().Table("audit_cursor").Set("seq = ?", int64(at)).Where("seq = ?", int64(c.at)).Exec(ctx)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n != 1 {
		return errors.New("another process copies into the same index")
	}
	return nil
}

// run copies until the first error. What came before the stream failed is
// written nevertheless: a stream that always fails soon must not hold it up.
func (c *copier) run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	rows, ended := make(chan row, ahead), make(chan error, 1)
	var following sync.WaitGroup
	following.Go(func() {
		defer close(rows)
		ended <- c.follow(ctx, rows)
	})
	defer following.Wait()
	defer stop()
	for more := true; more; {
		var batch []row
		var err error
		if batch, more, err = c.collect(ctx, rows); err != nil {
			return err
		}
		if err := c.write(ctx, batch); err != nil {
			return err
		}
	}
	return <-ended
}

// follow makes rows of what the stream has, beside the writing of those before.
// It begins with the record that was copied last: where the stream holds
// another there, it is another stream.
func (c *copier) follow(ctx context.Context, rows chan<- row) error {
	at, last := c.at, c.last
	err := c.src.Follow(ctx, max(at, 1), func(m Message) error {
		if m.Seq == at && last != nil && !bytes.Equal(m.Data, last) {
			return errReplaced
		}
		if m.Seq <= at {
			return nil
		}
		select {
		case rows <- rowOf(m):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	if err == nil {
		err = errors.New("it ended")
	}
	return fmt.Errorf("follow the stream: %w", err)
}

// collect waits for a record and takes what comes soon after it. More is false
// when no more will come.
func (c *copier) collect(ctx context.Context, rows <-chan row) (batch []row, more bool, err error) {
	var window <-chan time.Time
	for size := 0; len(batch) < batchRecords && size < batchBytes; {
		select {
		case r, more := <-rows:
			if !more {
				return batch, false, nil
			}
			if batch == nil {
				window = time.After(batchWindow)
			}
			batch = append(batch, r)
			size += len(r.Record)
		case <-window:
			return batch, true, nil
		case <-c.hurry:
			if len(batch) > 0 {
				return batch, true, nil
			}
		case <-c.again:
			return nil, false, errAgain
		case <-ctx.Done():
			return nil, false, ctx.Err()
		}
	}
	return batch, true, nil
}

// write stores the rows and their place in one transaction.
func (c *copier) write(ctx context.Context, batch []row) error {
	if len(batch) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, writeWithin)
	defer cancel()
	at := uint64(batch[len(batch)-1].Seq)
	err := c.conn.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if err := c.move(ctx, tx, at); err != nil {
			return err
		}
		return c.db.insert(ctx, tx, batch)
	})
	if err != nil {
		return fmt.Errorf("store %d records: %w", len(batch), err)
	}
	c.at = at
	return nil
}

// clear empties the index.
func (c *copier) clear(ctx context.Context) error {
	return c.conn.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if err := c.move(ctx, tx, 0); err != nil {
			return err
		}
		return c.db.clear(ctx, tx)
	})
}
