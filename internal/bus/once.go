package bus

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"
)

// Acceptance is the once-only record of a call_id: whoever stores it first has
// accepted the call, everybody else joins.
type Acceptance struct {
	Tool         string `json:"tool"`
	ArgsHash     string `json:"args_hash"`
	Origin       string `json:"origin"`
	TraceID      string `json:"trace_id"`
	ToolCallID   string `json:"tool_call_id,omitempty"`
	Pool         string `json:"pool"`
	User         string `json:"user,omitempty"`
	Agent        string `json:"agent,omitempty"`
	Conversation string `json:"conversation,omitempty"`
	AcceptedMS   int64  `json:"accepted_ms"`
	DeadlineMS   int64  `json:"deadline_ms,omitzero"`
	StartByMS    int64  `json:"start_by_ms"`
	TimeoutMS    int64  `json:"timeout_ms,omitzero"`
}

// Fence is the once-only record that a call with side effects starts, or, by a
// dispatcher, that it never will.
type Fence struct {
	// By is the worker or dispatcher that wrote it, Attempt the delivery.
	By      string `json:"by"`
	Attempt int    `json:"attempt"`
	AtMS    int64  `json:"at_ms"`
	// Ended, where set, says that the call was ended before it started:
	// "cancelled" or "timeout".
	Ended string `json:"ended,omitempty"`
}

// The once-only records of a call.
const (
	onceAccepted = "accepted"
	onceFence    = "fence"
)

// errNoRecord means that nothing is stored under a subject.
var errNoRecord = errors.New("not stored")

// Accept stores the acceptance of a call. ErrExists means that the call_id is
// taken; the record that holds it is returned.
func (b *Bus) Accept(ctx context.Context, tenant, callID string, rec Acceptance) (*Acceptance, error) {
	return writeOnce(ctx, b, b.subj.Once(tenant, callID, onceAccepted), rec)
}

// Accepted returns the acceptance of a call, or nil if there is none.
func (b *Bus) Accepted(ctx context.Context, tenant, callID string) (*Acceptance, error) {
	return readOnce[Acceptance](ctx, b, b.subj.Once(tenant, callID, onceAccepted))
}

// Fence stores the start fence of a call. ErrExists means that somebody else
// stored it before; their record is returned.
func (b *Bus) Fence(ctx context.Context, tenant, callID string, rec Fence) (*Fence, error) {
	return writeOnce(ctx, b, b.subj.Once(tenant, callID, onceFence), rec)
}

// Fenced returns the start fence of a call, or nil if there is none.
func (b *Bus) Fenced(ctx context.Context, tenant, callID string) (*Fence, error) {
	return readOnce[Fence](ctx, b, b.subj.Once(tenant, callID, onceFence))
}

// onceTries bounds how often a write whose acknowledgement did not come is
// repeated.
const onceTries = 3

// writeOnce stores rec under subject if nothing is there. A write whose
// acknowledgement was lost may have been stored: it is tried again, and a
// record that then stands there and equals ours is ours.
func writeOnce[T comparable](ctx context.Context, b *Bus, subject string, rec T) (*T, error) {
	data, err := json.Marshal(rec, lenient)
	if err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		err = b.publishWait(ctx, &nats.Msg{Subject: subject, Data: data})
		switch {
		case err == nil:
			return &rec, nil
		case errors.Is(err, ErrExists):
			got, err := readOnce[T](ctx, b, subject)
			if err != nil {
				return nil, err
			}
			if got == nil {
				return nil, fmt.Errorf("%w: a record was there and is gone", ErrUnavailable)
			}
			if try > 1 && *got == rec {
				return got, nil
			}
			return got, ErrExists
		case try == onceTries || ctx.Err() != nil:
			return nil, err
		}
	}
}

func readOnce[T any](ctx context.Context, b *Bus, subject string) (*T, error) {
	msg, err := b.last(ctx, StreamOnce, subject)
	if errors.Is(err, errNoRecord) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	rec := new(T)
	if err := json.Unmarshal(msg.Data, rec); err != nil {
		return nil, fmt.Errorf("record %s: %w", subject, err)
	}
	return rec, nil
}

// use says which call used a token up.
type use struct {
	CallID string `json:"call_id"`
}

// onceToken is the record of a token's one use. Its subject's id is the token's.
const onceToken = "token"

// Spend marks a single-use token as used by a call. It returns false if another
// call was first; the same call may spend it again. The record outlives every
// token: those that live longer are not minted.
func (b *Bus) Spend(ctx context.Context, tenant, tokenID, callID string) (bool, error) {
	if !isName(tokenID) {
		return false, nil // none of ours has such an id
	}
	first, err := writeOnce(ctx, b, b.subj.Once(tenant, tokenID, onceToken), use{callID})
	if errors.Is(err, ErrExists) {
		return first.CallID == callID, nil
	}
	return err == nil, err
}

// onceAsked is the record of a request that is in an inbox. Its subject's id is
// the consent's.
const onceAsked = "asked"

// NoteAsked stores that the request of a consent was put into its inbox.
func (b *Bus) NoteAsked(ctx context.Context, tenant, consentID string) error {
	_, err := writeOnce(ctx, b, b.subj.Once(tenant, consentID, onceAsked), struct{}{})
	if errors.Is(err, ErrExists) {
		return nil
	}
	return err
}

// WasAsked reports whether NoteAsked was called.
func (b *Bus) WasAsked(ctx context.Context, tenant, consentID string) (bool, error) {
	rec, err := readOnce[struct{}](ctx, b, b.subj.Once(tenant, consentID, onceAsked))
	return rec != nil, err
}
