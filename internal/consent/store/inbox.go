package store

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/streams"
)

// ConsentRequest is the subject of a user's inbox.
func (n Subjects) ConsentRequest(tenant, user string) string {
	return n.Of(tenant, "consent", "request", user)
}

// ConsentDecision is the subject of the outcomes of a user's requests.
func (n Subjects) ConsentDecision(tenant, user string) string {
	return n.Of(tenant, "consent", "decision", user)
}

// Ask puts a request, JSON, into a user's inbox. [natsio.ErrFull] means that the inbox is
// full: the server counts, so that no number of workers exceeds the bound. The same request
// is stored once within the duplicate window.
func (s Store) Ask(ctx context.Context, tenant, user, consentID string, request []byte) error {
	err := s.queue.Conn.PublishWait(ctx, &nats.Msg{
		Subject: s.subj.ConsentRequest(tenant, user), Data: request,
		Header: nats.Header{"Nats-Msg-Id": {tenant + "/" + consentID}},
	})
	if errors.Is(err, natsio.ErrExists) {
		return natsio.ErrFull
	}
	return err
}

// Refused is the subject under which a worker notes that a request found no room.
func (n Subjects) Refused(tenant, consentID string) string { return n.Of(tenant, "refused", consentID) }

// Refuse stores that the request of a consent found no room in its inbox. A dispatcher
// ends the consent ([Store.ServeRefused]): only dispatchers may write verdicts.
func (s Store) Refuse(ctx context.Context, tenant, consentID string) error {
	err := s.queue.Conn.PublishWait(ctx, &nats.Msg{Subject: s.subj.Refused(tenant, consentID)})
	if errors.Is(err, natsio.ErrExists) {
		return nil
	}
	return err
}

// Answered removes a decided request from the inbox, by the sequence number that
// [Store.FollowAsked] gave. A request that is gone is no error.
func (s Store) Answered(ctx context.Context, seq uint64) error {
	reply, err := s.queue.Conn.Request(ctx, &nats.Msg{
		Subject: s.queue.Conn.API() + "STREAM.MSG.DELETE." + streams.Consent,
		Data:    fmt.Appendf(nil, `{"seq":%d,"no_erase":true}`, seq),
	})
	if err != nil {
		return err
	}
	var answer natsio.Ack
	if err := json.Unmarshal(reply.Data, &answer); err != nil {
		return fmt.Errorf("%w: unreadable answer: %w", natsio.ErrUnavailable, err)
	}
	if e := answer.Error; e != nil && e.ErrCode != errSequenceNotFound && e.Description != noMessage {
		return fmt.Errorf("%w: %s", natsio.ErrUnavailable, e.Description)
	}
	return nil
}

// Answers of the server to deleting a message that is gone: one has a code of its own, the
// other only its text; nats-server/server/errors.json.
const (
	errSequenceNotFound = 10043
	noMessage           = "no message found"
)

// TellDecision stores a decision, JSON, and publishes it to all followers.
func (s Store) TellDecision(ctx context.Context, tenant, user, consentID string, decision []byte) error {
	err := s.queue.Conn.PublishWait(ctx, &nats.Msg{
		Subject: s.subj.ConsentDecision(tenant, user), Data: decision,
		Header: nats.Header{"Nats-Msg-Id": {tenant + "/" + consentID}},
	})
	return err
}

// LastAsked returns the sequence number of the newest request that waits in the
// inboxes of a tenant, 0 if there is none.
func (s Store) LastAsked(ctx context.Context, tenant string) (uint64, error) {
	msg, err := s.queue.Conn.Last(ctx, streams.Consent, s.subj.ConsentRequest(tenant, "*"))
	if errors.Is(err, natsio.ErrNotStored) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return strconv.ParseUint(msg.Header.Get("Nats-Sequence"), 10, 64)
}

// FollowAsked calls each for every request that waits, in order, and then for
// each new request, until ctx ends. It returns after the requests that waited.
func (s Store) FollowAsked(ctx context.Context, each func(seq uint64, tenant string, request []byte)) error {
	return s.queue.Conn.Follow(ctx, streams.Consent, func(m jetstream.Msg, seq uint64) {
		tenant, _, _ := s.subj.Cut(m.Subject())
		each(seq, tenant, m.Data())
	})
}

// FollowDecisions is [Store.FollowAsked] for decisions.
func (s Store) FollowDecisions(ctx context.Context, each func(tenant string, decision []byte)) error {
	return s.queue.Conn.Follow(ctx, streams.Decisions, func(m jetstream.Msg, _ uint64) {
		tenant, _, _ := s.subj.Cut(m.Subject())
		each(tenant, m.Data())
	})
}
