package bus

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// ConsentRequest is the inbox of a user.
func (s Subjects) ConsentRequest(tenant, user string) string {
	return s.of(tenant, "consent", "request", user)
}

// ConsentDecision tells what became of a user's requests.
func (s Subjects) ConsentDecision(tenant, user string) string {
	return s.of(tenant, "consent", "decision", user)
}

// Ask puts a request, JSON, into a user's inbox. ErrFull means that as many
// wait there as may: the server counts, so no number of workers lets more in.
// The same request within the duplicate window is there once.
func (b *Bus) Ask(ctx context.Context, tenant, user, consentID string, request []byte) error {
	err := b.publishWait(ctx, &nats.Msg{
		Subject: b.subj.ConsentRequest(tenant, user), Data: request,
		Header: nats.Header{"Nats-Msg-Id": {tenant + "/" + consentID}},
	})
	if errors.Is(err, ErrExists) {
		return ErrFull
	}
	return err
}

// Refused is where a worker notes that a request found no room.
func (s Subjects) Refused(tenant, consentID string) string { return s.of(tenant, "refused", consentID) }

// Refuse notes that the request of a consent found no room in its inbox, for one
// of those who ServeRefused: only dispatchers may write verdicts.
func (b *Bus) Refuse(ctx context.Context, tenant, consentID string) error {
	err := b.publishWait(ctx, &nats.Msg{Subject: b.subj.Refused(tenant, consentID)})
	if errors.Is(err, ErrExists) {
		return nil
	}
	return err
}

// Answered takes a request that was decided out of the inbox, by the sequence
// number that FollowAsked told. One that is gone is no error.
func (b *Bus) Answered(ctx context.Context, seq uint64) error {
	reply, err := b.request(ctx, &nats.Msg{
		Subject: "$JS.API.STREAM.MSG.DELETE." + StreamConsent,
		Data:    fmt.Appendf(nil, `{"seq":%d,"no_erase":true}`, seq),
	})
	if err != nil {
		return err
	}
	var answer stored
	if err := json.Unmarshal(reply.Data, &answer); err != nil {
		return fmt.Errorf("%w: unreadable answer: %w", ErrUnavailable, err)
	}
	if e := answer.Error; e != nil && e.ErrCode != errSequenceNotFound && e.Description != noMessage {
		return fmt.Errorf("%w: %s", ErrUnavailable, e.Description)
	}
	return nil
}

// The server's answers to deleting what is gone: one has a code of its own, the
// other only its text; nats-server/server/errors.json.
const (
	errSequenceNotFound = 10043
	noMessage           = "no message found"
)

// TellDecision stores and tells what was decided, JSON.
func (b *Bus) TellDecision(ctx context.Context, tenant, user, consentID string, decision []byte) error {
	err := b.publishWait(ctx, &nats.Msg{
		Subject: b.subj.ConsentDecision(tenant, user), Data: decision,
		Header: nats.Header{"Nats-Msg-Id": {tenant + "/" + consentID}},
	})
	return err
}

// LastAsked returns the sequence number of the newest request that waits in the
// inboxes of a tenant, 0 if there is none.
func (b *Bus) LastAsked(ctx context.Context, tenant string) (uint64, error) {
	msg, err := b.last(ctx, StreamConsent, b.subj.ConsentRequest(tenant, "*"))
	if errors.Is(err, errNoRecord) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return strconv.ParseUint(msg.Header.Get("Nats-Sequence"), 10, 64)
}

// FollowAsked calls each for every request that waits, in order, and then for
// each new one, until ctx ends. It returns when all that waits has been told.
func (b *Bus) FollowAsked(ctx context.Context, each func(seq uint64, tenant string, request []byte)) error {
	return b.follow(ctx, StreamConsent, func(m jetstream.Msg, seq uint64) {
		tenant, _, _ := b.subj.split(m.Subject(), 1)
		each(seq, tenant, m.Data())
	})
}

// FollowDecisions is the same for what was decided.
func (b *Bus) FollowDecisions(ctx context.Context, each func(tenant string, decision []byte)) error {
	return b.follow(ctx, StreamDecisions, func(m jetstream.Msg, _ uint64) {
		tenant, _, _ := b.subj.split(m.Subject(), 1)
		each(tenant, m.Data())
	})
}

// follow reads a stream in order from its beginning, through every reconnect.
func (b *Bus) follow(ctx context.Context, name string, each func(jetstream.Msg, uint64)) error {
	stream, err := b.js.Stream(ctx, name)
	if err != nil {
		return fmt.Errorf("%w: stream %s: %w", ErrUnavailable, name, err)
	}
	consumer, err := stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{})
	if err != nil {
		return fmt.Errorf("%w: follow %s: %w", ErrUnavailable, name, err)
	}
	caught := make(chan struct{})
	done := sync.OnceFunc(func() { close(caught) })
	run, err := consumer.Consume(func(m jetstream.Msg) {
		meta, err := m.Metadata()
		if err != nil {
			return // an ordered consumer's messages always have it
		}
		each(m, meta.Sequence.Stream)
		if meta.NumPending == 0 {
			done()
		}
	})
	if err != nil {
		return fmt.Errorf("%w: follow %s: %w", ErrUnavailable, name, err)
	}
	context.AfterFunc(ctx, run.Stop)
	look := time.NewTicker(followLook)
	defer look.Stop()
	if info, err := consumer.Info(ctx); err == nil && info.NumPending == 0 && info.Delivered.Consumer == 0 {
		return nil // there is nothing
	}
	for {
		select {
		case <-caught:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-look.C: // what was to come last may have been deleted on its way
			if info, err := consumer.Info(ctx); err == nil && info.NumPending == 0 {
				return nil
			}
		}
	}
}

// followLook is how often it is asked whether there is more to come.
const followLook = time.Second
