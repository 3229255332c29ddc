package callbacks

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/bus/subject"
)

// lenient replaces invalid UTF-8 in a call with a callback rather than losing the call.
var lenient = jsontext.AllowInvalidUTF8(true)

// Store stores which results are to be sent to callbacks, and those results until they
// are delivered. The state of a callback is one message, which later states replace; each
// write names the revision that it replaces, so that of two writers one is refused.
type Store struct {
	conn    *natsio.Conn
	streams *streams.Store
	subj    subjects
	results queue.Subjects
	keep    time.Duration
}

// On returns the callbacks of a queue.
func On(q *queue.Queue) *Store {
	return &Store{
		conn: q.Conn, streams: q.Store, subj: subjects{q.Conn.Tree()}, results: q.Subjects(), keep: q.Options().CallbackKeep(),
	}
}

// subjects builds and reads the subjects of callbacks.
type subjects struct{ subject.Tree }

// Key identifies a callback: a call, or a refused call of a request, and the
// receiver. Sending the call again to the same receiver is the same callback.
type Key struct{ Tenant, CallID, Receiver string }

// State is the state of a callback.
type State string

// The states, in order: the call has no result yet, its result is being sent, the callback
// has ended.
const (
	Waits State = "waits"
	Due   State = "due"
	Ended State = "ended"
)

// Callback is the stored state of a callback. An ended one has no URL and no headers.
type Callback struct {
	State State `json:"state"`
	// CallID is the id in the element; the key of a refused call has another one.
	CallID string `json:"call_id"`
	URL    string `json:"url,omitempty"`
	// Headers are the encrypted headers of the request.
	Headers jsontext.Value `json:"headers,omitempty"`
	// Call is the acceptance of the call.
	Call queue.Acceptance `json:"call"`
	// RenewedMS is when the callback of a call that takes long was stored again, so that it does
	// not expire before its call has ended.
	RenewedMS int64 `json:"renewed_ms,omitzero"`
	// DueMS is when the result was there, Body the name of the parts with the element and
	// Parts their number.
	DueMS int64  `json:"due_ms,omitzero"`
	Body  string `json:"body,omitempty"`
	Parts int    `json:"parts,omitzero"`
	// Outcome is why an ended callback has ended.
	Outcome string `json:"outcome,omitempty"`
}

// Since returns the time from which the callback is kept while its call has no result.
func (c *Callback) Since() time.Time { return time.UnixMilli(max(c.Call.AcceptedMS, c.RenewedMS)) }

func (k Key) valid() bool {
	return subject.IsName(k.Tenant) && subject.IsCallID(k.CallID) && subject.IsName(k.Receiver)
}

// callback is the subject of the state of a callback.
func (s subjects) callback(k Key) string {
	return s.Of(k.Tenant, "callback", k.CallID, k.Receiver)
}

// part is the subject of a part of its body.
func (s subjects) part(k Key, body, part string) string {
	return s.Of(k.Tenant, "callback", k.CallID, k.Receiver, body, part)
}

// key reads the subject of a state.
func (s subjects) key(subject string) (Key, bool) {
	tenant, tokens, ok := s.Split(subject, 4)
	if !ok || len(tokens) != 3 || tokens[0] != "callback" {
		return Key{}, false
	}
	k := Key{tenant, tokens[1], tokens[2]}
	return k, k.valid()
}

// Create stores a callback that is not stored. natsio.ErrExists means that it is, whatever
// its state; natsio.ErrFull that there is no room, with the setting to change.
func (b *Store) Create(ctx context.Context, k Key, c Callback) error {
	if short := b.Full(); short != nil {
		return short
	}
	err := b.write(ctx, k, c, 0)
	if short := b.Full(); errors.Is(err, natsio.ErrFull) && short != nil {
		return short
	}
	return err
}

// Change stores the next state of a callback in place of a revision. natsio.ErrExists means
// that another one is stored, perhaps by an earlier attempt whose acknowledgement was lost.
func (b *Store) Change(ctx context.Context, k Key, c Callback, revision uint64) error {
	return b.write(ctx, k, c, revision)
}

func (b *Store) write(ctx context.Context, k Key, c Callback, revision uint64) error {
	if !k.valid() {
		return fmt.Errorf("%q is no callback that can be stored", k)
	}
	data, err := json.Marshal(c, lenient)
	if err != nil {
		return err
	}
	return b.conn.PublishWait(ctx, &nats.Msg{
		Subject: b.subj.callback(k), Data: data,
		Header: nats.Header{nats.ExpectedLastSubjSeqHdr: {strconv.FormatUint(revision, 10)}},
	})
}

// Read returns the state of a callback and its revision; nil if it is not stored.
func (b *Store) Read(ctx context.Context, k Key) (*Callback, uint64, error) {
	msg, err := b.conn.Last(ctx, streams.Callbacks, b.subj.callback(k))
	if errors.Is(err, natsio.ErrNotStored) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	var c Callback
	if err := json.Unmarshal(msg.Data, &c, lenient); err != nil {
		return nil, 0, fmt.Errorf("callback of call %s: %w", k.CallID, err)
	}
	revision, err := natsio.Place(msg)
	return &c, revision, err
}

// Remove removes a callback with everything that is stored for it.
func (b *Store) Remove(ctx context.Context, k Key) error {
	if !k.valid() {
		return fmt.Errorf("%q is no callback that can be removed", k)
	}
	return natsio.Purge(ctx, b.conn, streams.Callbacks, b.subj.callback(k), b.subj.part(k, "*", "*"))
}

// Full returns why no more callbacks may be accepted, nil if they may.
func (b *Store) Full() *streams.Shortage { return b.streams.CallbacksFull() }
