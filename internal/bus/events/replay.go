package events

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/bus/natsio"
)

const (
	// replayWindow is the time from one replayed event to the next that processes have: a
	// long trace takes its time.
	replayWindow = 100 * time.Millisecond
	// replayMost bounds the complete replay.
	replayMost = 5 * time.Second
)

// ServeReplay answers late listeners with the events of this process. To its own request it
// also sends an empty message, after the events.
func (b *Events) ServeReplay() error {
	_, err := b.conn.NATS().Subscribe(b.subj.Replay("*", "*"), func(msg *nats.Msg) {
		tenant, trace := b.subj.TenantAndLast(msg.Subject)
		for _, data := range b.recent.of(tenant, trace, time.Now()) {
			if err := b.conn.NATS().Publish(msg.Reply, data); err != nil {
				return
			}
		}
		if b.replies.Own(msg.Reply) {
			_ = b.conn.NATS().Publish(msg.Reply, nil) // the cost of a lost message is a wait
		}
	})
	b.replays.Store(err == nil)
	return err
}

// replay collects the events that every process still has of a trace, in order. The number
// of answers is unknown, so it ends after a time without any.
func (b *Events) replay(ctx context.Context, tenant, traceID string) [][]byte {
	r := &replayed{mux: b.replies, asked: time.Now(), window: replayWindow, end: make(chan struct{})}
	r.mu.Lock() // until its reply subject is known
	r.reply = b.replies.ExpectMany(r.asked.Add(replayMost), r.take)
	if !b.replays.Load() {
		r.goOn()
	}
	r.mu.Unlock()
	if err := b.conn.NATS().PublishMsg(&nats.Msg{Subject: b.subj.Replay(tenant, traceID), Reply: r.reply}); err != nil {
		return nil
	}
	select {
	case <-r.end:
	case <-ctx.Done():
	}
	return r.inOrder()
}

// replayed collects the answers to one request.
type replayed struct {
	mux   *natsio.ReplyMux
	reply string
	asked time.Time
	end   chan struct{}

	mu     sync.Mutex
	events [][]byte
	window time.Duration // from one event to the next
	ending bool          // no further events will come
}

// take takes an answer, or nil when no more will come. The answer of this process took the
// same path as all others, so the time it took shows how busy the machines and the server
// are; from then on the others have that time.
func (r *replayed) take(msg *nats.Msg) {
	if msg == nil {
		close(r.end)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(msg.Data) > 0 {
		r.events = append(r.events, msg.Data)
	} else {
		r.ending, r.window = true, max(r.window, 2*time.Since(r.asked))
	}
	if r.ending {
		r.goOn()
	}
}

// goOn extends the deadline for the next event.
func (r *replayed) goOn() {
	r.ending = true
	until := time.Now().Add(r.window)
	if most := r.asked.Add(replayMost); most.Before(until) {
		until = most
	}
	r.mux.Move(r.reply, until)
}

func (r *replayed) inOrder() [][]byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	slices.SortStableFunc(r.events, func(x, y []byte) int {
		a, errA := parseEvent(x)
		b, errB := parseEvent(y)
		if errA != nil || errB != nil {
			return 0
		}
		return compareIDs(a.ID, b.ID)
	})
	return r.events
}
