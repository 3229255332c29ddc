package queue

import (
	"context"
	"errors"
	"strconv"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/natsio"
)

// HeaderRecord of a result is the final audit record of its call.
const HeaderRecord = "Helve-Record"

// Stored is a result as it is stored in the stream.
type Stored struct {
	// Element is one result element, JSON.
	Element []byte `json:"element"`
	Origin  string `json:"origin"`
	// Pool is the pool whose worker stored it; empty for a result of an earlier version.
	Pool string `json:"pool"`
	// Seq is its place in the stream.
	Seq uint64 `json:"seq"`
	// Shared means that a group may hold an earlier result of the call.
	Shared bool `json:"shared"`
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
	msg, err := b.conn.Next(ctx, StreamResults, b.subj.Result(tenant, pool, "*", callID), 0)
	if errors.Is(err, natsio.ErrNotStored) { // it may have been stored by a worker of an earlier version
		msg, err = b.conn.Last(ctx, StreamResults, b.subj.resultBefore(tenant, "*", callID))
	}
	if errors.Is(err, natsio.ErrNotStored) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	_, from, origin, _ := b.subj.ReadResult(msg.Subject)
	s := &Stored{Element: msg.Data, Origin: origin, Pool: from, Shared: msg.Header.Get(HeaderShared) != ""}
	s.Seq, err = strconv.ParseUint(natsio.ServerHeader(msg, natsio.HeaderSequence), 10, 64)
	return s, err
}

// Finish stores the result of a call. Only after that the server republishes it to the
// waiting dispatcher: a refused result reaches no caller. Record is the final audit record
// of the call, one line, stored in the same message. Done is called once; nil and
// natsio.ErrExists both mean that a result is stored.
func (b *Results) Finish(tenant, pool, origin, callID string, element, record []byte, done func(error)) {
	natsio.PublishOnce(b.conn, b.resultMessage(tenant, pool, origin, callID, element, record), func(_ bool, err error) { done(err) })
}

// FinishShared is Finish for a call of which a group may hold an earlier result.
func (b *Results) FinishShared(tenant, pool, origin, callID string, element, record []byte, done func(error)) {
	msg := b.resultMessage(tenant, pool, origin, callID, element, record)
	msg.Header[HeaderShared] = []string{"1"}
	b.conn.Publish(msg, func(_ natsio.Ack, err error) { done(err) })
}

func (b *core) resultMessage(tenant, pool, origin, callID string, element, record []byte) *nats.Msg {
	msg := &nats.Msg{Subject: b.subj.Result(tenant, pool, origin, callID), Data: element, Header: nats.Header{}}
	if len(record) > 0 {
		msg.Header[HeaderRecord] = []string{string(record)}
	}
	return msg
}

// FinishWait is [Results.FinishShared] for callers that wait.
func (b *Results) FinishWait(ctx context.Context, tenant, pool, origin, callID string, element, record []byte) error {
	done := make(chan error, 1)
	b.FinishShared(tenant, pool, origin, callID, element, record, func(err error) { done <- err })
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
