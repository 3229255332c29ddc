package store

import (
	"context"
	"errors"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/bus/subject"
)

// use is the record of the call that used a token.
type use struct {
	CallID string `json:"call_id"`
}

// onceToken is the kind of the record of a token's use. The id in its subject is the
// token's.
const onceToken = "token"

// Spend marks a single-use token as used by a call. It returns false if another
// call was first; the same call may spend it again. The record is kept longer than any
// token is valid.
func (s Store) Spend(ctx context.Context, tenant, tokenID, callID string) (bool, error) {
	if !subject.IsName(tokenID) {
		return false, nil // no token has such an id
	}
	first, err := natsio.WriteOnce(ctx, s.queue.Conn, streams.Once, queue.SubjectsOf(s.subj.Tree).Once(tenant, tokenID, onceToken),
		use{callID})
	if errors.Is(err, natsio.ErrExists) {
		return first.CallID == callID, nil
	}
	return err == nil, err
}

// onceAsked is the kind of the record of a request that is in an inbox. The id in its
// subject is the consent's.
const onceAsked = "asked"

// NoteAsked stores that the request of a consent was put into its inbox.
func (s Store) NoteAsked(ctx context.Context, tenant, consentID string) error {
	_, err := natsio.WriteOnce(ctx, s.queue.Conn, streams.Once,
		queue.SubjectsOf(s.subj.Tree).Once(tenant, consentID, onceAsked), struct{}{})
	if errors.Is(err, natsio.ErrExists) {
		return nil
	}
	return err
}

// WasAsked reports whether NoteAsked was called.
func (s Store) WasAsked(ctx context.Context, tenant, consentID string) (bool, error) {
	rec, err := natsio.ReadOnce[struct{}](ctx, s.queue.Conn, streams.Once,
		queue.SubjectsOf(s.subj.Tree).Once(tenant, consentID, onceAsked))
	return rec != nil, err
}
