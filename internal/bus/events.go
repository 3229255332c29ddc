package bus

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/nats-io/nats.go"
)

// Types of events.
const (
	EventQueued          = "queued"
	EventStarted         = "started"
	EventAwaitingConsent = "awaiting_consent"
	EventResumed         = "resumed"
	EventDone            = "done"
)

// Event is one step of a call. ID orders the events of a trace and resumes a
// listener.
type Event struct {
	ID   string `json:"id"`
	Type string `json:"type"`
	// Data is the whole event as it was told, JSON.
	Data []byte `json:"-"`
}

// eventSeq tells apart events of one nanosecond.
var eventSeq atomic.Uint32

// tellSpace holds buffers: each call tells three events.
var tellSpace = sync.Pool{New: func() any { return new([]byte) }}

// Tell publishes one event and remembers it for late listeners. Delivery is
// not promised. Data must be JSON or empty.
func (b *Bus) Tell(tenant, traceID, callID, tool, kind string, data []byte) {
	b.TellAt(time.Now(), tenant, traceID, callID, tool, kind, data)
}

// TellAt is Tell for something that happened at now.
func (b *Bus) TellAt(now time.Time, tenant, traceID, callID, tool, kind string, data []byte) {
	space, _ := tellSpace.Get().(*[]byte) // its New makes nothing else
	defer tellSpace.Put(space)
	buf := (*space)[:0]
	buf = append(buf, `{"id":"`...)
	buf = strconv.AppendInt(buf, now.UnixNano(), 10)
	buf = append(buf, '-')
	buf = append(buf, b.id[max(0, len(b.id)-6):]...)
	buf = strconv.AppendUint(buf, uint64(eventSeq.Add(1)), 36)
	buf = append(buf, `","type":"`...)
	buf = append(buf, kind...)
	buf = append(buf, `","time":"`...)
	buf = now.UTC().AppendFormat(buf, time.RFC3339Nano)
	buf = append(buf, `","trace_id":"`...)
	buf = append(buf, traceID...)
	buf = append(buf, `","call_id":"`...)
	buf = append(buf, callID...)
	buf = append(buf, `","tool":"`...)
	buf = append(buf, tool...)
	buf = append(buf, `","data":`...)
	if len(data) == 0 {
		buf = append(buf, "{}"...)
	}
	buf = append(buf, data...)
	buf = append(buf, '}')
	*space = buf // both of the following copy it
	b.told.add(tenant, traceID, now, buf)
	if err := b.nc.Publish(b.subj.Event(tenant, traceID, callID), buf); err != nil {
		return // events are not promised, and the connection logs its own loss
	}
}

// A slow listener may lag behind by so many events, and so many bytes of them,
// before it is cut off: what waits for it is memory of everybody's.
const (
	listenBuffer = 4096
	listenBytes  = 4 << 20
)

// Listen yields the events of a trace after the one with the id after (all
// that are still known if it is empty), and then those that happen, until ctx
// ends or yield fails. A listener too slow for its buffer is ended with an
// error, so that it can resume.
func (b *Bus) Listen(ctx context.Context, tenant, traceID, after string, yield func(Event) error) error {
	live := make(chan *nats.Msg, listenBuffer)
	var overrun atomic.Bool
	var waiting atomic.Int64 // bytes
	sub, err := b.nc.Subscribe(b.subj.Event(tenant, traceID, "*"), func(msg *nats.Msg) {
		if waiting.Add(int64(len(msg.Data))) > listenBytes {
			overrun.Store(true)
		}
		if overrun.Load() {
			return // it will be cut off, so nothing more need be kept for it
		}
		select {
		case live <- msg:
		default:
			overrun.Store(true)
		}
	})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	defer func() { _ = sub.Unsubscribe() }()

	seen := map[string]bool{}
	send := func(data []byte) error {
		e, err := parseEvent(data)
		if err != nil {
			return nil //nolint:nilerr // what is no event is nothing to a listener
		}
		if seen[e.ID] || (after != "" && compareIDs(e.ID, after) <= 0) {
			return nil
		}
		if len(seen) > listenBuffer {
			clear(seen) // only the overlap of replay and live needs it
		}
		seen[e.ID] = true
		return yield(e)
	}
	for _, data := range b.replay(ctx, tenant, traceID) {
		if err := send(data); err != nil {
			return err
		}
	}
	for {
		if overrun.Load() {
			return fmt.Errorf("%w: the listener was too slow; resume after the last event", ErrFull)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case msg := <-live:
			waiting.Add(-int64(len(msg.Data)))
			if err := send(msg.Data); err != nil {
				return err
			}
		}
	}
}

func parseEvent(data []byte) (Event, error) {
	e := Event{Data: data}
	err := json.Unmarshal(data, &e, jsontext.AllowDuplicateNames(true))
	return e, err
}

// compareIDs orders ids by their time, then by their number, of which a longer
// one is a later one.
func compareIDs(a, b string) int {
	return cmp.Or(cmp.Compare(timeOf(a), timeOf(b)), cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

func timeOf(id string) int64 {
	for i := range len(id) {
		if id[i] == '-' {
			n, _ := strconv.ParseInt(id[:i], 10, 64)
			return n
		}
	}
	return 0
}
