package program

import (
	"context"
	"time"

	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/durable"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/x/failpoint"
	"github.com/helve-dev/helve/internal/x/gopool"
	"github.com/helve-dev/helve/tool"
)

// show answers with events, and stores them meanwhile. Until they are stored the session takes
// nothing from the code that has seen them, so that it cannot have acted on anything else than
// the journal has. While other steps are open it answers after that: their outcomes gather, so that
// many steps at the same time need fewer answers and entries.
func (t *session) show(ctx context.Context, events []durable.Event) (peer.ProgramAnswer, error) {
	now := max(t.clock().UnixMilli(), t.newest)
	t.newest = now
	for i := range events {
		events[i].NowMS = now
		t.program.Bytes += int64(len(events[i].Value))
	}
	if t.program.Bytes > durable.MaxJournal {
		return mustEnd(tool.Fail(tool.ExecutionError,
			"the results of the program's steps are larger than %d MiB together, as much as its journal holds; ask for less in each step",
			durable.MaxJournal>>20)), nil
	}
	t.entry.Events, t.cold = events, time.Time{}
	t.store()
	if len(t.open) > 0 {
		if err := t.stored(ctx); err != nil {
			return again(), err
		}
	}
	return eventsOf(events, false)
}

// storing is an entry of the journal that is being stored.
type storing struct {
	entry durable.Entry
	made  int // the steps there are with it
	done  chan error
	last  uint64
	size  int
}

// storeTime bounds how long it takes to store an entry.
const storeTime = 20 * time.Second

// store begins to store the entry that has gathered.
func (t *session) store() {
	t.entry.AtMS = time.Now().UnixMilli()
	w := &storing{entry: t.entry, made: len(t.made), done: make(chan error, 1)}
	t.entry, t.storing = durable.Entry{}, w
	last := t.program.Last
	gopool.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), storeTime) // the end is stored after the life of the session
		defer cancel()
		err := failpoint.Hit(failpoint.ProgramBeforeEntry)
		if err == nil {
			w.last, w.size, err = t.svc.Store.Append(ctx, t.key, t.program, &w.entry, last)
		}
		if err == nil {
			err = failpoint.Hit(failpoint.ProgramAfterEntry)
		}
		w.done <- err
	}, nil)
}

// stored waits until the entry is stored that is being stored, if any.
func (t *session) stored(ctx context.Context) error {
	w := t.storing
	if w == nil {
		return nil
	}
	select {
	case err := <-w.done:
		if err != nil {
			return err
		}
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	t.storing = nil
	t.svc.count(telemetry.ProgramJournal, w.size)
	t.moved = t.moved || len(w.entry.Made)+len(w.entry.Sleeps)+len(w.entry.Events) > 0
	p := t.program
	p.Last, p.Steps, p.CPUMS = w.last, w.made, p.CPUMS+w.entry.CPUMS
	if t.known == 0 {
		t.known = w.made
	}
	return nil
}

// append stores the entry that has gathered.
func (t *session) append(ctx context.Context) error {
	t.store()
	return t.stored(ctx)
}
