package index

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/helve-dev/helve/internal/audit"
)

const (
	// Limits of a transaction, in records, bytes and time; it also ends when a caller
	// waits for it. A commit costs as much as many records.
	batchRecords = 8000
	batchBytes   = 8 << 20
	batchWindow  = 100 * time.Millisecond
	// idleFor is the interval at which it looks for merges that another process left.
	idleFor = time.Second
	// ahead is the number of messages that wait while others are written.
	ahead = 2000
	// writeWithin is the time after which a transaction is considered stuck and its
	// connection is closed.
	writeWithin = time.Minute
)

// copier is one attempt at copying.
type copier struct {
	src   Source
	conn  beginner
	db    database
	again <-chan struct{} // the copy must start again
	hurry <-chan struct{} // a caller waits for the latest records

	cursor
	// loose counts the chunks of each tenant after its segments.
	loose map[string]loose
	// work is set if there may be something to merge; grown holds the tenants that may
	// have enough segments for a merge, nil for any.
	work  bool
	grown map[string]bool
}

func newCopier(src Source, conn beginner, db database) *copier {
	return &copier{src: src, conn: conn, db: db, loose: map[string]loose{}}
}

// within runs f in a transaction with a time limit.
func (c *copier) within(ctx context.Context, f func(context.Context, *tx) error) error {
	ctx, cancel := context.WithTimeout(ctx, writeWithin)
	defer cancel()
	return within(ctx, c.conn, c.db, nil, func(t *tx) error { return f(ctx, t) })
}

// begin reads the place where the index stopped.
func (c *copier) begin(ctx context.Context) error {
	err := c.within(ctx, func(ctx context.Context, t *tx) (err error) {
		c.cursor, err = t.cursor(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("find where the index stopped: %w", err)
	}
	first, last, err := c.src.Range(ctx)
	if err != nil {
		return fmt.Errorf("ask the stream: %w", err)
	}
	if last < c.seq {
		return errReplaced
	}
	if to := behindFirst(c.seq, first); to > c.seq {
		// Expired messages will not arrive, and no caller waits for them.
		err := c.within(ctx, func(ctx context.Context, t *tx) error { return t.move(ctx, c.seq, to, nil) })
		if err != nil {
			return err
		}
		c.seq, c.digest = to, nil
	}
	return nil
}

// run copies until the first error. It writes the messages that arrived before the
// stream failed: otherwise a stream that always fails early would stop all progress.
func (c *copier) run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	messages, ended := make(chan audit.Message, ahead), make(chan error, 1)
	var following sync.WaitGroup
	following.Go(func() {
		defer close(messages)
		ended <- c.follow(ctx, c.cursor, messages)
	})
	defer following.Wait()
	defer stop()
	for more := true; more; {
		if err := c.merge(ctx, messages); err != nil {
			return err
		}
		var batch []audit.Message
		var err error
		if batch, more, err = c.collect(ctx, messages); err != nil {
			return err
		}
		if err := c.write(ctx, batch); err != nil {
			return err
		}
	}
	return <-ended
}

// follow sends the messages of the stream, concurrently with the writing. It begins
// with the last copied message: if the stream holds a different one there, it is
// another stream.
func (c *copier) follow(ctx context.Context, from cursor, messages chan<- audit.Message) error {
	at := from.seq
	err := c.src.Follow(ctx, max(at, 1), func(m audit.Message) error {
		if m.Seq == at && from.digest != nil && !bytes.Equal(digest(m.Data), from.digest) {
			return errReplaced
		}
		if m.Seq <= at {
			return nil
		}
		at, from.digest = m.Seq, nil
		select {
		case messages <- m:
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

func digest(data []byte) []byte {
	sum := sha256.Sum256(data)
	return sum[:]
}

// collect waits a limited time for a message and the messages that follow it closely.
// more is false if no more will arrive.
func (c *copier) collect(ctx context.Context, messages <-chan audit.Message) (batch []audit.Message, more bool, err error) {
	var window <-chan time.Time
	idle := time.NewTimer(idleFor)
	defer idle.Stop()
	for records, size := 0, 0; records < batchRecords && size < batchBytes; {
		select {
		case m, more := <-messages:
			if !more {
				return batch, false, nil
			}
			if batch == nil {
				window = time.After(batchWindow)
			}
			batch = append(batch, m)
			size += len(m.Data)
			records++
			if m.About == audit.BlockAbout {
				records += bytes.Count(m.Data, []byte{'\n'})
			}
		case <-window:
			return batch, true, nil
		case <-c.hurry:
			if len(batch) > 0 {
				return batch, true, nil
			}
		case <-idle.C:
			if len(batch) == 0 {
				return nil, true, nil
			}
		case <-c.again:
			return nil, false, errAgain
		case <-ctx.Done():
			return nil, false, ctx.Err()
		}
	}
	return batch, true, nil
}

// write stores the records of messages and the place of the last one in one
// transaction.
func (c *copier) write(ctx context.Context, batch []audit.Message) error {
	if len(batch) == 0 {
		return nil
	}
	var tenants []string // in order of arrival
	records := map[string][]record{}
	for i := range batch {
		m := &batch[i]
		some, known := records[m.Tenant]
		if !known {
			tenants = append(tenants, m.Tenant)
		}
		for part, data := range m.Records() {
			some = append(some, record{firstIn(m.Seq) + place(part), data})
		}
		records[m.Tenant] = some
	}
	last := &batch[len(batch)-1]
	sum := digest(last.Data)
	err := c.within(ctx, func(ctx context.Context, t *tx) error {
		if err := t.move(ctx, c.seq, last.Seq, sum); err != nil {
			return err
		}
		for _, tenant := range tenants {
			if err := c.append(ctx, t, tenant, records[tenant]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("store the records of %d messages: %w", len(batch), err)
	}
	c.seq, c.digest = last.Seq, sum
	return nil
}

// clear empties the index.
func (c *copier) clear(ctx context.Context) error {
	return c.within(ctx, func(ctx context.Context, t *tx) error {
		if err := t.hold(ctx, c.seq); err != nil {
			return err
		}
		return t.clear(ctx)
	})
}
