package queue

import (
	"context"
	"errors"
	"strconv"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/streams"
)

const (
	// HeaderRecord of a result is the final audit record of its call.
	HeaderRecord = "Helve-Record"
	// HeaderArguments of a result holds the arguments of its call, as they are kept.
	HeaderArguments = "Helve-Arguments"
)

// The first byte of [HeaderArguments]: the arguments follow as they were sent, with nothing
// that the schema marks as secret, or with secrets hidden.
const (
	ArgumentsSent  = 'r'
	ArgumentsShown = 's'
)

// Stored is a result as it is stored in the stream.
type Stored struct {
	// Element is one result element, JSON.
	Element []byte `json:"element"`
	Origin  string `json:"origin"`
	// Pool is the pool whose worker stored it.
	Pool string `json:"pool"`
	// Seq is its place in the stream.
	Seq uint64 `json:"seq"`
	// Shared means that a group may hold an earlier result of the call.
	Shared bool `json:"shared"`
	// Arguments are those of the call, as its worker has kept them; empty if it has not.
	Arguments string `json:"-"`
}

// ResultOf returns the stored result of a call that was queued for pool, or nil if there is
// none. It does not search groups.
func (b *Results) ResultOf(ctx context.Context, tenant, pool, callID string) (*Stored, error) {
	if b.conn.Apart() {
		return b.find(ctx, tenant, pool, callID)
	}
	return b.stored(ctx, tenant, pool, callID)
}

// Result is ResultOf for readers that do not know the pool: it is the pool in the
// acceptance of the call. A call without an acceptance has the result that was stored
// first: only its dispatcher and its worker knew its id until then.
func (b *Results) Result(ctx context.Context, tenant, callID string) (*Stored, error) {
	s, err := b.stored(ctx, tenant, "*", callID)
	if s == nil || err != nil || s.Pool == "" {
		return s, err
	}
	rec, err := b.accepted(ctx, tenant, callID)
	if err != nil {
		return nil, err
	}
	if rec == nil || rec.Pool == s.Pool {
		return s, nil
	}
	return b.stored(ctx, tenant, rec.Pool, callID)
}

func (b *core) stored(ctx context.Context, tenant, pool, callID string) (*Stored, error) {
	msg, err := b.conn.Next(ctx, streams.Results, b.subj.Result(tenant, pool, "*", callID), 0)
	if errors.Is(err, natsio.ErrNotStored) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	_, from, origin, _ := b.subj.ReadResult(msg.Subject)
	s := &Stored{
		Element:   msg.Data,
		Origin:    origin,
		Pool:      from,
		Shared:    msg.Header.Get(HeaderShared) != "",
		Arguments: msg.Header.Get(HeaderArguments),
	}
	s.Seq, err = strconv.ParseUint(natsio.ServerHeader(msg, natsio.HeaderSequence), 10, 64)
	return s, err
}

// Finished is the result of a call, as its worker stores it.
type Finished struct {
	Element []byte
	// Record is the final audit record of the call, one line, stored in the same message.
	Record []byte
	// Arguments are those of the call, one line, as they are kept; empty if they are not.
	Arguments []byte
	// Shared is set if a group may hold an earlier result of the call.
	Shared bool
}

// Finish stores the result of a call. Only after that the server republishes it to the
// waiting dispatcher: a refused result reaches no caller. Done is called once; nil and
// natsio.ErrExists both mean that a result is stored.
func (b *Results) Finish(tenant, pool, origin, callID string, f Finished, done func(error)) {
	msg := &nats.Msg{Subject: b.subj.Result(tenant, pool, origin, callID), Data: f.Element, Header: nats.Header{}}
	if len(f.Record) > 0 {
		msg.Header[HeaderRecord] = []string{string(f.Record)}
	}
	if len(f.Arguments) > 0 {
		msg.Header[HeaderArguments] = []string{string(f.Arguments)}
	}
	if f.Shared {
		msg.Header[HeaderShared] = []string{"1"}
	}
	natsio.PublishOnce(b.conn, msg, func(_ bool, err error) { done(err) })
}

// FinishWait is [Results.Finish] for callers that wait. A group may hold an earlier result.
func (b *Results) FinishWait(ctx context.Context, tenant, pool, origin, callID string, element, record []byte) error {
	done := make(chan error, 1)
	b.Finish(tenant, pool, origin, callID, Finished{Element: element, Record: record, Shared: true}, func(err error) { done <- err })
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
