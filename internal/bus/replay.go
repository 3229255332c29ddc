package bus

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

const (
	// replayWindow is how long processes have to tell again what they told, from
	// one event to the next: a long trace takes its time.
	replayWindow = 100 * time.Millisecond
	// replayMost bounds all of it.
	replayMost = 5 * time.Second
)

// ServeReplay answers listeners who come late with what this process told. Its
// own question it answers with an empty message too, behind the events.
func (b *Bus) ServeReplay() error {
	_, err := b.nc.Subscribe(b.subj.Replay("*", "*"), func(msg *nats.Msg) {
		tenant, trace := b.subj.tenantAndLast(msg.Subject)
		for _, data := range b.told.of(tenant, trace, time.Now()) {
			if err := b.nc.Publish(msg.Reply, data); err != nil {
				return
			}
		}
		if b.acks.own(msg.Reply) {
			_ = b.nc.Publish(msg.Reply, nil) // what a lost one costs is a wait
		}
	})
	b.replays.Store(err == nil)
	return err
}

// replay gathers what every process still knows of a trace, in order. Nobody knows
// how many will answer, so it ends when none has for a while.
func (b *Bus) replay(ctx context.Context, tenant, traceID string) [][]byte {
	r := &replayed{mux: b.acks, asked: time.Now(), window: replayWindow, end: make(chan struct{})}
	r.mu.Lock() // until its reply subject is known
	r.reply = b.acks.expectMany(r.asked.Add(replayMost), r.take)
	if !b.replays.Load() {
		r.goOn()
	}
	r.mu.Unlock()
	if err := b.nc.PublishMsg(&nats.Msg{Subject: b.subj.Replay(tenant, traceID), Reply: r.reply}); err != nil {
		return nil
	}
	select {
	case <-r.end:
	case <-ctx.Done():
	}
	return r.inOrder()
}

// replayed is what came of one question.
type replayed struct {
	mux   *mux
	reply string
	asked time.Time
	end   chan struct{}

	mu     sync.Mutex
	events [][]byte
	window time.Duration // from one event to the next
	ending bool          // when none comes any more
}

// take takes an answer, or nil when no more will come. That of this process itself
// went the same way as all others, so from it on they have time by how busy the
// machines and the server are.
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

// goOn has the next event come within the window.
func (r *replayed) goOn() {
	r.ending = true
	until := time.Now().Add(r.window)
	if most := r.asked.Add(replayMost); most.Before(until) {
		until = most
	}
	r.mux.move(r.reply, until)
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
