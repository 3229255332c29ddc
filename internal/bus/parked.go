package bus

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/nats-io/nats.go"
)

// Parked is a call that waits for a person: data in a stream, and nothing else
// anywhere.
type Parked struct {
	ConsentID   string    `json:"consent_id"`
	Tenant      string    `json:"tenant"`
	Pool        string    `json:"pool"`
	Traceparent string    `json:"traceparent,omitempty"`
	Envelope    *Envelope `json:"envelope"`
	// Request is what the person is asked about this call, JSON.
	Request jsontext.Value `json:"request"`

	// seq is its place in the stream, 0 before it was read.
	seq uint64
}

// ConsentOf is the consent of a call that asks for itself: the same however
// often the call is delivered. One that shares a request has another's.
func ConsentOf(tenant, callID string) string {
	sum := sha256.Sum256([]byte(tenant + "/" + callID))
	return "c-" + letters.EncodeToString(sum[:16])
}

var letters = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// Joined is where a call that shares another's request says so.
func (s Subjects) Joined(tenant, callID string) string {
	return "$KV." + BucketAsks + ".joined." + tenant + "." + callID
}

// Parked is where a call that waits for a person lies.
func (s Subjects) Parked(tenant, consentID, callID string) string {
	return s.of(tenant, "parked", consentID, callID)
}

// Verdict holds the one verdict of a consent.
func (s Subjects) Verdict(tenant, consentID string) string {
	return s.of(tenant, "verdict", consentID)
}

// Park stores a call that waits, once. ErrExists means that it is parked under
// this consent already.
func (b *Bus) Park(ctx context.Context, p *Parked) error {
	p.Tenant, p.Pool, p.Traceparent = p.Envelope.Tenant, p.Envelope.Pool, p.Envelope.Traceparent
	if p.Envelope.ArgumentsRef != "" { // they lie in the object store, and stay there
		small := *p.Envelope
		small.Arguments, p.Envelope = nil, &small
	}
	// The request keeps its escapes: they are there for who shows it.
	data, err := json.Marshal(p, lenient, jsontext.PreserveRawStrings(true))
	if err != nil {
		return fmt.Errorf("encode parked call: %w", err)
	}
	callID := p.Envelope.CallID
	if p.ConsentID != ConsentOf(p.Tenant, callID) {
		pointer := &nats.Msg{Subject: b.subj.Joined(p.Tenant, callID), Data: []byte(p.ConsentID)}
		if err := b.publishWait(ctx, pointer); err != nil {
			return err
		}
	}
	return b.publishWait(ctx, &nats.Msg{Subject: b.subj.Parked(p.Tenant, p.ConsentID, callID), Data: data})
}

// ParkedCall returns the call as it was last parked, or nil if it never was. It
// looks at two subjects, however many calls are parked.
func (b *Bus) ParkedCall(ctx context.Context, tenant, callID string) (*Parked, error) {
	joined, err := b.last(ctx, "KV_"+BucketAsks, b.subj.Joined(tenant, callID))
	switch {
	case errors.Is(err, errNoRecord):
		return b.parked(ctx, b.subj.Parked(tenant, ConsentOf(tenant, callID), callID))
	case err != nil:
		return nil, err
	case !isName(string(joined.Data)):
		return nil, nil
	}
	return b.parked(ctx, b.subj.Parked(tenant, string(joined.Data), callID))
}

// ParkedUnder returns the call as it was parked under a consent, or nil.
func (b *Bus) ParkedUnder(ctx context.Context, tenant, consentID, callID string) (*Parked, error) {
	return b.parked(ctx, b.subj.Parked(tenant, consentID, callID))
}

// ParkedFor returns one call that waits for a consent, or nil if there is none.
func (b *Bus) ParkedFor(ctx context.Context, tenant, consentID string) (*Parked, error) {
	return b.parked(ctx, b.subj.Parked(tenant, consentID, "*"))
}

func (b *Bus) parked(ctx context.Context, subject string) (*Parked, error) {
	msg, err := b.last(ctx, StreamParked, subject)
	if errors.Is(err, errNoRecord) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	p := new(Parked)
	if err := json.Unmarshal(msg.Data, p); err != nil {
		return nil, fmt.Errorf("parked call: %w", err)
	}
	if p.Envelope == nil {
		return nil, fmt.Errorf("parked call %s: it has no envelope", p.ConsentID)
	}
	p.Envelope.Tenant, p.Envelope.Pool, p.Envelope.Traceparent = p.Tenant, p.Pool, p.Traceparent
	p.seq, err = strconv.ParseUint(msg.Header.Get("Nats-Sequence"), 10, 64)
	return p, err
}

// ParkedCalls returns every call that waits for a consent.
func (b *Bus) ParkedCalls(ctx context.Context, tenant, consentID string) ([]*Parked, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	ask, err := json.Marshal(map[string]string{"subjects_filter": b.subj.Parked(tenant, consentID, "*")})
	if err != nil {
		return nil, err
	}
	reply, err := b.request(ctx, &nats.Msg{Subject: "$JS.API.STREAM.INFO." + StreamParked, Data: ask})
	if err != nil {
		return nil, err
	}
	var answer struct {
		State struct {
			Subjects map[string]uint64 `json:"subjects"`
		} `json:"state"`
		Error *struct {
			Description string `json:"description"`
		} `json:"error"`
	}
	if err := json.Unmarshal(reply.Data, &answer); err != nil || answer.Error != nil {
		return nil, fmt.Errorf("%w: stream %s: %.200s", ErrUnavailable, StreamParked, reply.Data)
	}
	var all []*Parked
	for subject := range answer.State.Subjects {
		p, err := b.parked(ctx, subject)
		if err != nil {
			return nil, err
		}
		if p != nil {
			all = append(all, p)
		}
	}
	return all, nil
}

// Decide stores the verdict of a consent, JSON. ErrExists means that there is
// one already, which is returned.
func (b *Bus) Decide(ctx context.Context, tenant, consentID string, verdict []byte) ([]byte, error) {
	err := b.publishWait(ctx, &nats.Msg{Subject: b.subj.Verdict(tenant, consentID), Data: verdict})
	if !errors.Is(err, ErrExists) {
		return verdict, err
	}
	first, err := b.Verdict(ctx, tenant, consentID)
	if err != nil {
		return nil, err
	}
	return first, ErrExists
}

// Verdict returns the verdict of a consent, or nil if there is none.
func (b *Bus) Verdict(ctx context.Context, tenant, consentID string) ([]byte, error) {
	data, _, err := b.verdict(ctx, tenant, consentID)
	return data, err
}

// VerdictOn returns the verdict of a parked call's consent, nil if there is
// none. Listed says that the call was parked before it, so that whoever carries
// the verdict out deals with the call. The stream's order decides, no clock.
func (b *Bus) VerdictOn(ctx context.Context, p *Parked) (verdict []byte, listed bool, err error) {
	data, seq, err := b.verdict(ctx, p.Tenant, p.ConsentID)
	return data, data != nil && p.seq < seq, err
}

func (b *Bus) verdict(ctx context.Context, tenant, consentID string) (data []byte, seq uint64, err error) {
	msg, err := b.last(ctx, StreamParked, b.subj.Verdict(tenant, consentID))
	if errors.Is(err, errNoRecord) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	seq, err = strconv.ParseUint(msg.Header.Get("Nats-Sequence"), 10, 64)
	return msg.Data, seq, err
}
