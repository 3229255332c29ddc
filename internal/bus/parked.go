package bus

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Parked is a call that waits for a person: data in a stream, and nothing else
// anywhere.
type Parked struct {
	ConsentID   string    `json:"consent_id"`
	Tenant      string    `json:"tenant"`
	Pool        string    `json:"pool"`
	Traceparent string    `json:"traceparent,omitempty"`
	Envelope    *Envelope `json:"envelope"`
	// Request is what the person is asked, JSON.
	Request jsontext.Value `json:"request"`
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
	data, err := json.Marshal(p, lenient)
	if err != nil {
		return fmt.Errorf("encode parked call: %w", err)
	}
	subject := b.subj.Parked(p.Tenant, p.ConsentID, p.Envelope.CallID)
	_, err = b.publishWait(ctx, &nats.Msg{Subject: subject, Data: data})
	return err
}

// ParkedCall returns the call as it was last parked, or nil if it never was.
func (b *Bus) ParkedCall(ctx context.Context, tenant, callID string) (*Parked, error) {
	return b.parked(ctx, b.subj.Parked(tenant, "*", callID))
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
	return b.readParked(msg.Data)
}

func (b *Bus) readParked(data []byte) (*Parked, error) {
	p := new(Parked)
	if err := json.Unmarshal(data, p); err != nil {
		return nil, fmt.Errorf("parked call: %w", err)
	}
	if p.Envelope == nil {
		return nil, fmt.Errorf("parked call %s: it has no envelope", p.ConsentID)
	}
	p.Envelope.Tenant, p.Envelope.Pool, p.Envelope.Traceparent = p.Tenant, p.Pool, p.Traceparent
	return p, nil
}

// ParkedCalls returns every call that waits for a consent.
func (b *Bus) ParkedCalls(ctx context.Context, tenant, consentID string) ([]*Parked, error) {
	stream, err := b.js.Stream(ctx, StreamParked)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(b.subj.Parked(tenant, consentID, "*")))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	var all []*Parked
	for subject := range info.State.Subjects {
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
	_, err := b.publishWait(ctx, &nats.Msg{Subject: b.subj.Verdict(tenant, consentID), Data: verdict})
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
	msg, err := b.last(ctx, StreamParked, b.subj.Verdict(tenant, consentID))
	if errors.Is(err, errNoRecord) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return msg.Data, nil
}
