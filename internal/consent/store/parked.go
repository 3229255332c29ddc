package store

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

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/bus/subject"
	"github.com/helve-dev/helve/internal/call"
)

// Parked is a call that waits for a person. It is a message in a stream; no process
// keeps anything of it.
type Parked struct {
	ConsentID   string     `json:"consent_id"`
	Tenant      string     `json:"tenant"`
	Pool        string     `json:"pool"`
	Traceparent string     `json:"traceparent,omitempty"`
	Call        *call.Call `json:"envelope"`
	// Request is the request to the person about this call, JSON.
	Request jsontext.Value `json:"request"`

	// seq is its place in the stream, 0 before it was read.
	seq uint64
}

// ConsentOf returns the consent of a call that opens its own request, the same for each
// delivery of the call. A call that shares a request has the consent of another call.
func ConsentOf(tenant, callID string) string {
	sum := sha256.Sum256([]byte(tenant + "/" + callID))
	return "c-" + letters.EncodeToString(sum[:16])
}

// AccountConsentOf returns the consent by which a call waits for an account, after it went
// on so many times because its person had connected one.
func AccountConsentOf(tenant, callID string, connects int) string {
	return ConsentOf(tenant, callID+"/account/"+strconv.Itoa(connects))
}

// FurtherConsentOf returns the consent of a call that a person approved and is asked about once
// more, since what it changes is another now.
func FurtherConsentOf(tenant, callID, approved string) string {
	return ConsentOf(tenant, callID+"/after/"+approved)
}

// Opens reports whether the request of the consent was opened for this call.
func (p *Parked) Opens(consentID string) bool {
	return ConsentOf(p.Tenant, p.Call.ID) == consentID ||
		FurtherConsentOf(p.Tenant, p.Call.ID, p.Call.ConsentID) == consentID ||
		AccountConsentOf(p.Tenant, p.Call.ID, p.Call.Connects) == consentID
}

var letters = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// Joined is the subject of the consent id of a call that shares the request of another, or
// that has waited more than once.
func (n Subjects) Joined(tenant, callID string) string {
	return "$KV." + streams.BucketAsks + ".joined." + tenant + "." + callID
}

// Parked is the subject of a call that waits for a person.
func (n Subjects) Parked(tenant, consentID, callID string) string {
	return n.Of(tenant, "parked", consentID, callID)
}

// Park stores a call that waits, once. [natsio.ErrExists] means that it is parked under
// this consent already.
func (s Store) Park(ctx context.Context, p *Parked) error {
	p.Tenant, p.Pool, p.Traceparent = p.Call.Tenant, p.Call.Pool, p.Call.Traceparent
	if p.Call.ArgumentsRef != "" { // they lie in the object store, and stay there
		small := *p.Call
		small.Arguments, p.Call = nil, &small
	}
	// The request keeps its escapes: they protect the program that shows it.
	data, err := json.Marshal(p, jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true))
	if err != nil {
		return fmt.Errorf("encode parked call: %w", err)
	}
	callID := p.Call.ID
	if p.ConsentID != ConsentOf(p.Tenant, callID) || p.Call.Connects > 0 {
		pointer := &nats.Msg{Subject: s.subj.Joined(p.Tenant, callID), Data: []byte(p.ConsentID)}
		if err := s.queue.Conn.PublishWait(ctx, pointer); err != nil {
			return err
		}
	}
	return s.queue.Conn.PublishWait(ctx, &nats.Msg{Subject: s.subj.Parked(p.Tenant, p.ConsentID, callID), Data: data})
}

// ByCall returns the call as it was last parked, or nil if it never was. It
// reads two subjects, however many calls are parked.
func (s Store) ByCall(ctx context.Context, tenant, callID string) (*Parked, error) {
	joined, err := s.queue.Conn.Last(ctx, "KV_"+streams.BucketAsks, s.subj.Joined(tenant, callID))
	switch {
	case errors.Is(err, natsio.ErrNotStored):
		return s.parked(ctx, s.subj.Parked(tenant, ConsentOf(tenant, callID), callID))
	case err != nil:
		return nil, err
	case !subject.IsName(string(joined.Data)):
		return nil, nil
	}
	return s.parked(ctx, s.subj.Parked(tenant, string(joined.Data), callID))
}

// Get returns the call as it was parked under a consent, or nil.
func (s Store) Get(ctx context.Context, tenant, consentID, callID string) (*Parked, error) {
	return s.parked(ctx, s.subj.Parked(tenant, consentID, callID))
}

// OpenerOf returns one call that waits for a consent, or nil if there is none.
func (s Store) OpenerOf(ctx context.Context, tenant, consentID string) (*Parked, error) {
	return s.parked(ctx, s.subj.Parked(tenant, consentID, "*"))
}

func (s Store) parked(ctx context.Context, subject string) (*Parked, error) {
	msg, err := s.queue.Conn.Last(ctx, streams.Parked, subject)
	if errors.Is(err, natsio.ErrNotStored) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	p := new(Parked)
	if err := json.Unmarshal(msg.Data, p); err != nil {
		return nil, fmt.Errorf("parked call: %w", err)
	}
	if p.Call == nil {
		return nil, fmt.Errorf("parked call %s: it has no envelope", p.ConsentID)
	}
	p.Call.Tenant, p.Call.Pool, p.Call.Traceparent = p.Tenant, p.Pool, p.Traceparent
	p.seq, err = strconv.ParseUint(msg.Header.Get(natsio.HeaderSequence), 10, 64)
	return p, err
}

// ListByConsent returns every call that waits for a consent.
func (s Store) ListByConsent(ctx context.Context, tenant, consentID string) ([]*Parked, error) {
	ctx, cancel := context.WithTimeout(ctx, natsio.ReadTimeout)
	defer cancel()
	ask, err := json.Marshal(map[string]string{"subjects_filter": s.subj.Parked(tenant, consentID, "*")})
	if err != nil {
		return nil, err
	}
	reply, err := s.queue.Conn.Request(ctx, &nats.Msg{Subject: s.queue.Conn.API() + "STREAM.INFO." + streams.Parked, Data: ask})
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
		return nil, fmt.Errorf("%w: stream %s: %.200s", natsio.ErrUnavailable, streams.Parked, reply.Data)
	}
	var all []*Parked
	for subject := range answer.State.Subjects {
		p, err := s.parked(ctx, subject)
		if err != nil {
			return nil, err
		}
		if p != nil {
			all = append(all, p)
		}
	}
	return all, nil
}
