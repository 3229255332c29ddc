package queue

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/bus/subject"
)

// lenient replaces invalid UTF-8 in a call with a callback rather than losing the call.
var lenient = jsontext.AllowInvalidUTF8(true)

// Callbacks stores which results are to be sent to callbacks, and those results until they
// are delivered. The state of a callback is one message, which later states replace; each
// write names the revision that it replaces, so that of two writers one is refused.
type Callbacks struct{ *core }

// CallbackKey identifies a callback: a call, or a refused call of a request, and the
// receiver. Sending the call again to the same receiver is the same callback.
type CallbackKey struct{ Tenant, CallID, Receiver string }

// CallbackState is the state of a callback.
type CallbackState string

// The states, in order: the call has no result yet, its result is being sent, the callback
// has ended.
const (
	CallbackWaits CallbackState = "waits"
	CallbackDue   CallbackState = "due"
	CallbackEnded CallbackState = "ended"
)

// Callback is the stored state of a callback. An ended one has no URL and no headers.
type Callback struct {
	State CallbackState `json:"state"`
	// CallID is the id in the element; the key of a refused call has another one.
	CallID string `json:"call_id"`
	URL    string `json:"url,omitempty"`
	// Headers are the encrypted headers of the request.
	Headers jsontext.Value `json:"headers,omitempty"`
	// Call is the acceptance of the call.
	Call Acceptance `json:"call"`
	// DueMS is when the result was there, Body the name of the parts with the element and
	// Parts their number.
	DueMS int64  `json:"due_ms,omitzero"`
	Body  string `json:"body,omitempty"`
	Parts int    `json:"parts,omitzero"`
	// Outcome is why an ended callback has ended.
	Outcome string `json:"outcome,omitempty"`
}

func (k CallbackKey) valid() bool {
	return subject.IsName(k.Tenant) && subject.IsName(k.CallID) && subject.IsName(k.Receiver)
}

// callback is the subject of the state of a callback.
func (s Subjects) callback(k CallbackKey) string {
	return s.Of(k.Tenant, "callback", k.CallID, k.Receiver)
}

// callbackPart is the subject of a part of its body.
func (s Subjects) callbackPart(k CallbackKey, body, part string) string {
	return s.Of(k.Tenant, "callback", k.CallID, k.Receiver, body, part)
}

// callbackKey reads the subject of a state.
func (s Subjects) callbackKey(subject string) (CallbackKey, bool) {
	tenant, tokens, ok := s.Split(subject, 4)
	if !ok || len(tokens) != 3 || tokens[0] != "callback" {
		return CallbackKey{}, false
	}
	k := CallbackKey{tenant, tokens[1], tokens[2]}
	return k, k.valid()
}

// Create stores a callback that is not stored. natsio.ErrExists means that it is, whatever
// its state; natsio.ErrFull that there is no room, with the setting to change.
func (b *Callbacks) Create(ctx context.Context, k CallbackKey, c Callback) error {
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
func (b *Callbacks) Change(ctx context.Context, k CallbackKey, c Callback, revision uint64) error {
	return b.write(ctx, k, c, revision)
}

func (b *Callbacks) write(ctx context.Context, k CallbackKey, c Callback, revision uint64) error {
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
func (b *Callbacks) Read(ctx context.Context, k CallbackKey) (*Callback, uint64, error) {
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
func (b *Callbacks) Remove(ctx context.Context, k CallbackKey) error {
	if !k.valid() {
		return fmt.Errorf("%q is no callback that can be removed", k)
	}
	return b.purge(ctx, streams.Callbacks, b.subj.callback(k), b.subj.callbackPart(k, "*", "*"))
}

// Full returns why no more callbacks may be accepted, nil if they may.
func (b *Callbacks) Full() *streams.Shortage { return b.store.CallbacksFull() }
