package stream

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/streams"
)

// Tail follows the  All that follow it by way of one Tail share a reader and the
// bytes of its messages.
type Tail struct {
	store Store

	mu      sync.Mutex
	current *tailReader
}

// NewTail returns the tail of the  One is enough for a process.
func NewTail(c *natsio.Conn) *Tail { return &Tail{store: On(c)} }

// tailReader is one reading. Its fields are guarded by the lock of the tail, but for stop
// and done.
type tailReader struct {
	followers int
	// recent are the last messages in order, bytes their size. None is missing from the
	// place from on.
	recent []Message
	bytes  int
	from   uint64
	more   chan struct{} // closed when there is more, or over
	over   bool
	stop   context.CancelFunc
	done   chan struct{}
}

// tailRetry is the pause before a follower reads from the tail again.
const tailRetry = 250 * time.Millisecond

// tailBytes bounds the messages that are kept for followers that are slower than others.
const tailBytes = 8 << 20

var (
	// errBehind means that messages were dropped which a follower has not had.
	errBehind = errors.New("the tail does not reach back so far")
	// errCaught ends a walk that has given all there is.
	errCaught = errors.New("all was given")
)

// Follow calls each for every record of every tenant from a place on, or from the first
// there is, and then for new ones, in order, until ctx ends or each fails. The error is then
// the cause, or that of each. It survives reconnects and restarts of the server. Records
// that the server can no longer read are left out: their places are missing. At of final
// records is when the first of their results was stored.
func (t *Tail) Follow(ctx context.Context, from uint64, each func(Message) error) error {
	return t.follow(ctx, from, natsio.WalkWait, each)
}

// follow reads the messages that are stored with a walk of its own, and new ones from the
// shared reader. A follower that is slower than the shared reader keeps goes back to a walk
// of its own, and delays no other.
func (t *Tail) follow(ctx context.Context, from uint64, wait time.Duration, each func(Message) error) error {
	w := t.store.walk(from, wait, each)
	w.Rest = func() error { return errCaught }
	for {
		if err := w.Run(ctx); !errors.Is(err, errCaught) {
			return err
		}
		began := w.Next
		next, err := t.share(ctx, max(w.Next, 1), wait, each)
		if !errors.Is(err, errBehind) {
			return err
		}
		if w.Next = next; next > began {
			continue
		}
		select { // the others follow from a place that is not reached yet
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(tailRetry):
		}
	}
}

// walk returns a walk along the  It has no filter: the stream holds nothing but
// records, and the server would compare the subject of each.
func (s Store) walk(from uint64, wait time.Duration, each func(Message) error) *natsio.Walk {
	w := &natsio.Walk{Conn: s.conn, Stream: streams.Audit, Next: from, Batch: batchSize, Wait: wait}
	w.Each = func(msg *nats.Msg, meta *nats.MsgMetadata) error {
		m := s.message(msg, meta)
		m.At = since(msg, m.At)
		return each(m)
	}
	return w
}

// share calls each for messages of the shared reader from a place on, until ctx ends or
// each fails. It returns the place to continue from.
func (t *Tail) share(ctx context.Context, at uint64, wait time.Duration, each func(Message) error) (uint64, error) {
	r := t.enter(at, wait)
	defer t.leave(r)
	for {
		batch, more, err := t.after(r, at)
		if err != nil {
			return at, err
		}
		for _, m := range batch {
			if ctx.Err() != nil {
				return at, context.Cause(ctx)
			}
			if err := each(m); err != nil {
				return at, err
			}
			at = m.Seq + 1
		}
		if len(batch) > 0 {
			continue
		}
		select {
		case <-more:
		case <-ctx.Done():
			return at, context.Cause(ctx)
		}
	}
}

// enter returns the reading that others follow, or begins one at a place.
func (t *Tail) enter(at uint64, wait time.Duration) *tailReader {
	t.mu.Lock()
	defer t.mu.Unlock()
	if r := t.current; r != nil && !r.over {
		r.followers++
		return r
	}
	ctx, stop := context.WithCancel(context.Background())
	r := &tailReader{followers: 1, from: at, more: make(chan struct{}), stop: stop, done: make(chan struct{})}
	t.current = r
	w := t.store.walk(at, wait, func(m Message) error { t.add(r, m); return nil })
	go func() {
		defer close(r.done)
		_ = w.Run(ctx) // its followers read on with walks of their own
		t.end(r)
	}()
	return r
}

// leave ends a reading that nobody follows any longer.
func (t *Tail) leave(r *tailReader) {
	t.mu.Lock()
	r.followers--
	last := r.followers == 0
	if last && t.current == r {
		t.current = nil
	}
	t.mu.Unlock()
	if last {
		r.stop()
		<-r.done
	}
}

// add keeps a message, and drops the oldest.
func (t *Tail) add(r *tailReader, m Message) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r.recent = append(r.recent, m)
	r.bytes += len(m.Data)
	drop := 0
	for ; r.bytes > tailBytes && drop < len(r.recent)-1 || len(r.recent)-drop > batchSize; drop++ {
		r.bytes -= len(r.recent[drop].Data)
		r.from = r.recent[drop].Seq + 1
	}
	r.recent = slices.Delete(r.recent, 0, drop)
	close(r.more)
	r.more = make(chan struct{})
}

func (t *Tail) end(r *tailReader) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r.over = true
	close(r.more)
	r.more = make(chan struct{})
}

// after returns the messages from a place on. While there are none, more is closed when
// that changes.
func (t *Tail) after(r *tailReader, at uint64) (batch []Message, more <-chan struct{}, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if r.over || at < r.from {
		return nil, nil, errBehind
	}
	i, _ := slices.BinarySearchFunc(r.recent, at, func(m Message, at uint64) int {
		if m.Seq < at {
			return -1
		}
		return 1
	})
	return slices.Clone(r.recent[i:]), r.more, nil
}
