package events

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

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/protocol"
)

// Events publishes and replays the steps of calls.
type Events struct {
	conn    *natsio.Conn
	replies *natsio.ReplyMux // to which both dispatchers and workers may publish
	subj    Subjects
	recent  *buffer
	replays atomic.Bool // this process answers late listeners
}

// New returns the events on a connection, which are kept for a time for late listeners. Replies
// receives the events of other processes.
func New(conn *natsio.Conn, replies *natsio.ReplyMux, subj Subjects, keep time.Duration) *Events {
	return &Events{conn: conn, replies: replies, subj: subj, recent: newBuffer(keep)}
}

// Event is one step of a call. ID orders the events of a trace and resumes a listener.
type Event struct {
	ID   string `json:"id"`
	Type string `json:"type"`
	// CallID and Owner name the call.
	CallID string          `json:"call_id"`
	Owner  *protocol.Owner `json:"owner"`
	// Data is the complete event as it was published, JSON.
	Data []byte `json:"-"`
}

// lastSeq distinguishes events of the same nanosecond.
var lastSeq atomic.Uint32

// tellSpace holds buffers: each call publishes three events.
var tellSpace = sync.Pool{New: func() any { return new([]byte) }}

// Tell publishes one event and keeps it for late listeners. Delivery is not promised. Data
// must be JSON or empty.
func (b *Events) Tell(of About, kind string, data []byte) {
	b.TellAt(time.Now(), of, kind, data)
}

// TellAt is Tell for an event that happened at now.
func (b *Events) TellAt(now time.Time, of About, kind string, data []byte) {
	space, _ := tellSpace.Get().(*[]byte) // its New returns only this type
	defer tellSpace.Put(space)
	buf := (*space)[:0]
	buf = append(buf, `{"id":"`...)
	buf = strconv.AppendInt(buf, now.UnixNano(), 10)
	buf = append(buf, '-')
	buf = append(buf, b.conn.ID()[max(0, len(b.conn.ID())-6):]...)
	buf = strconv.AppendUint(buf, uint64(lastSeq.Add(1)), 36)
	buf = append(buf, `","type":"`...)
	buf = append(buf, kind...)
	buf = append(buf, `","time":"`...)
	buf = now.UTC().AppendFormat(buf, time.RFC3339Nano)
	buf = append(buf, `","trace_id":"`...)
	buf = append(buf, of.TraceID...)
	buf = append(buf, `","call_id":"`...)
	buf = append(buf, of.CallID...)
	buf = append(buf, `","tool":"`...)
	buf = append(buf, of.Tool...)
	buf = append(buf, '"')
	buf = appendOwner(buf, of.Owner)
	buf = append(buf, `,"data":`...)
	if len(data) == 0 {
		buf = append(buf, "{}"...)
	}
	buf = append(buf, data...)
	buf = append(buf, '}')
	*space = buf // both of the following copy it
	b.recent.add(of.Tenant, of.TraceID, now, buf)
	if err := b.conn.NATS().Publish(b.subj.Event(of.Tenant, of.TraceID, of.CallID), buf); err != nil {
		return // events are not promised, and the connection logs its own loss
	}
}

// A slow listener may be this many events, and this many bytes, behind before it is
// disconnected: the waiting events use memory of the whole process.
const (
	listenBuffer = 4096
	listenBytes  = 4 << 20
)

// Listen yields the events of a trace after the event with the id after (all known events
// if it is empty), and then new ones, until ctx ends or yield fails. A listener too slow
// for its buffer ends with an error, so that it can resume.
func (b *Events) Listen(ctx context.Context, tenant, traceID, after string, yield func(Event) error) error {
	live := make(chan *nats.Msg, listenBuffer)
	var overrun atomic.Bool
	var waiting atomic.Int64 // bytes
	sub, err := b.conn.NATS().Subscribe(b.subj.Event(tenant, traceID, "*"), func(msg *nats.Msg) {
		if waiting.Add(int64(len(msg.Data))) > listenBytes {
			overrun.Store(true)
		}
		if overrun.Load() {
			return // it will be disconnected, so nothing more need be kept for it
		}
		select {
		case live <- msg:
		default:
			overrun.Store(true)
		}
	})
	if err != nil {
		return fmt.Errorf("%w: %w", natsio.ErrUnavailable, err)
	}
	defer func() { _ = sub.Unsubscribe() }()

	seen := map[string]bool{}
	send := func(data []byte) error {
		e, err := parseEvent(data)
		if err != nil {
			return nil //nolint:nilerr // a listener skips a message that is not an event
		}
		if seen[e.ID] || (after != "" && compareIDs(e.ID, after) <= 0) {
			return nil
		}
		if len(seen) > listenBuffer {
			clear(seen) // needed only while replay and live events overlap
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
			return fmt.Errorf("%w: the listener was too slow; resume after the last event", natsio.ErrFull)
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

// compareIDs orders ids by their time, then by their number: a longer number is a later
// one.
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
