package store

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/streams"
)

// Verdict is the subject of one verdict of a consent. Several may be stored, each under a
// name of its own, because a forged message must not take the place of a person's answer:
// the first valid verdict counts.
func (n Subjects) Verdict(tenant, name, consentID string) string {
	return n.Of(tenant, "verdict", name, consentID)
}

// Valid reports whether a stored message is a verdict of the consent that it is stored
// under. Messages that are not valid are skipped.
type Valid func(verdict []byte) bool

// Decide stores the verdict of a consent. With [natsio.ErrExists] it returns the valid
// verdict that is there already.
func (s Store) Decide(ctx context.Context, tenant, consentID string, verdict []byte, valid Valid) ([]byte, error) {
	first, _, err := s.Verdict(ctx, tenant, consentID, valid)
	if err != nil {
		return nil, err
	}
	if first != nil {
		return first, natsio.ErrExists
	}
	name := strings.ToLower(rand.Text())
	if err := s.queue.Conn.PublishWait(ctx, &nats.Msg{Subject: s.subj.Verdict(tenant, name, consentID), Data: verdict}); err != nil {
		return nil, err
	}
	// Another dispatcher may have stored one meanwhile. The order of the stream is the
	// same for all.
	first, _, err = s.Verdict(ctx, tenant, consentID, valid)
	switch {
	case err != nil:
		return nil, err
	case first == nil:
		return nil, fmt.Errorf("%w: the verdict was stored and is gone", natsio.ErrUnavailable)
	case !bytes.Equal(first, verdict):
		return first, natsio.ErrExists
	}
	return first, nil
}

// Verdict returns the first valid verdict of a consent with its place in the stream,
// or nil if there is none.
func (s Store) Verdict(ctx context.Context, tenant, consentID string, valid Valid) (data []byte, seq uint64, err error) {
	for {
		msg, err := s.queue.Conn.Next(ctx, streams.Parked, s.subj.Verdict(tenant, "*", consentID), seq+1)
		if errors.Is(err, natsio.ErrNotStored) {
			return nil, 0, nil
		}
		if err != nil {
			return nil, 0, err
		}
		at, err := strconv.ParseUint(msg.Header.Get(natsio.HeaderSequence), 10, 64)
		if err != nil || at <= seq {
			return nil, 0, fmt.Errorf("%w: unreadable sequence number", natsio.ErrUnavailable)
		}
		seq = at
		if valid(msg.Data) {
			return msg.Data, seq, nil
		}
	}
}

// VerdictOn returns the verdict of a parked call's consent, nil if there is
// none. Listed reports whether the call was parked before the verdict, so that the process
// that carries out the verdict finds the call. The order of the stream decides, no clock.
func (s Store) VerdictOn(ctx context.Context, p *Parked, valid Valid) (verdict []byte, listed bool, err error) {
	data, seq, err := s.Verdict(ctx, p.Tenant, p.ConsentID, valid)
	return data, data != nil && p.seq < seq, err
}
