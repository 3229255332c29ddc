package consent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/consent/store"
	"github.com/helve-dev/helve/internal/identity/token"
	"github.com/helve-dev/helve/protocol"
)

// verdictPurpose is part of each verdict's signature, so that no confirm token and no
// other note of the same key is a verdict.
const verdictPurpose = "helve verdict v1"

// signed is a verdict in the form signed by a dispatcher: the decision, and the request
// as shown to the person.
type signed struct {
	Tenant      string           `json:"tenant"`
	ConsentID   string           `json:"consent_id"`
	CallID      string           `json:"call_id,omitempty"`
	User        string           `json:"user,omitempty"`
	Agent       string           `json:"agent,omitempty"`
	Tool        string           `json:"tool,omitempty"`
	ArgsHash    string           `json:"args_hash,omitempty"`
	Binding     string           `json:"binding,omitempty"`
	ForTool     bool             `json:"for_tool,omitempty"`
	Service     string           `json:"service,omitempty"`
	Permissions []string         `json:"permissions,omitempty"`
	Verdict     protocol.Verdict `json:"verdict"`
}

// statement returns the verdict about r, unsigned.
func statement(v protocol.Verdict, r *protocol.Consent) signed {
	return signed{
		Tenant: r.Tenant, ConsentID: r.ID, CallID: r.Call.CallID, User: r.User, Agent: r.Agent, Tool: r.Tool,
		ArgsHash: r.ArgsHash, Binding: r.Binding, ForTool: r.ForTool, Permissions: r.Permissions, Service: r.Service, Verdict: v,
	}
}

// covers reports whether the verdict applies to the call that was parked with own. A
// call that joined a request for permissions, or for an account, is covered by a verdict on
// another call of the same person and agent, if it needs nothing else.
func (s *signed) covers(own *protocol.Consent) bool {
	if s.Service != own.Service || s.User != own.User || s.Agent != own.Agent || s.ForTool != own.ForTool ||
		!slices.Equal(sorted(s.Permissions), sorted(own.Permissions)) {
		return false
	}
	if !s.ForTool && own.Kind != protocol.ConsentQuestion { // an answer applies to one question
		return true
	}
	return s.CallID == own.Call.CallID && s.Tool == own.Tool && s.ArgsHash == own.ArgsHash && s.Binding == own.Binding
}

func sorted(names []string) []string { return slices.Sorted(slices.Values(names)) }

// Verdicts reads verdicts and verifies their signatures.
type Verdicts struct {
	Queue *queue.Queue
	Ring  *token.Keyring
}

// open returns a stored verdict of a consent. The error is a [*token.Refusal] if no
// trusted key signed it.
func (v Verdicts) open(tenant, consentID string, data []byte) (*signed, error) {
	body, err := v.Ring.OpenNote(verdictPurpose, string(data))
	if err != nil {
		return nil, err
	}
	s := new(signed)
	if err := json.Unmarshal(body, s); err != nil {
		return nil, fmt.Errorf("verdict: %w", err)
	}
	if s.Tenant != tenant || s.ConsentID != consentID {
		return nil, errors.New("the verdict is about another consent")
	}
	return s, nil
}

// valid returns the check of a consent's verdicts.
func (v Verdicts) valid(tenant, consentID string) store.Valid {
	return func(data []byte) bool {
		_, err := v.open(tenant, consentID, data)
		return err == nil
	}
}

// Of returns the verdict of a consent, or nil if there is none.
func (v Verdicts) Of(ctx context.Context, tenant, consentID string) (*protocol.Verdict, error) {
	s, err := v.signedOf(ctx, tenant, consentID)
	if s == nil || err != nil {
		return nil, err
	}
	return &s.Verdict, nil
}

// signedOf returns the verdict of a consent with what it is about, or nil if there is none.
func (v Verdicts) signedOf(ctx context.Context, tenant, consentID string) (*signed, error) {
	data, _, err := store.On(v.Queue).Verdict(ctx, tenant, consentID, v.valid(tenant, consentID))
	if data == nil || err != nil {
		return nil, err
	}
	return v.open(tenant, consentID, data)
}

// give signs and stores the verdict about r. It returns the verdict that is in force,
// with [natsio.ErrExists] if that is another one.
func (svc *Service) give(ctx context.Context, r *protocol.Consent, v protocol.Verdict) (*protocol.Verdict, error) {
	body, err := json.Marshal(statement(v, r))
	if err != nil {
		return nil, err
	}
	note, err := svc.Signer.Note(verdictPurpose, body)
	if err != nil {
		return nil, err
	}
	first, err := store.On(svc.Queue).Decide(ctx, r.Tenant, r.ID, []byte(note), svc.verdicts().valid(r.Tenant, r.ID))
	if err != nil && !errors.Is(err, natsio.ErrExists) {
		return nil, err
	}
	s, wrong := svc.verdicts().open(r.Tenant, r.ID, first)
	if wrong != nil {
		return nil, wrong
	}
	return &s.Verdict, err
}

// verdicts returns a reader of verdicts with the keys that the service trusts.
func (svc *Service) verdicts() Verdicts { return Verdicts{svc.Queue, svc.Ring} }

// rule stores a verdict that was not given by a person.
func (svc *Service) rule(ctx context.Context, tenant, consentID string, v protocol.Verdict) error {
	r := &protocol.Consent{Tenant: tenant, ID: consentID}
	p, err := svc.parkedFor(ctx, tenant, consentID)
	if err != nil {
		return err
	}
	if p != nil {
		if r, err = requestOf(p, nil); err != nil {
			return err
		}
	}
	r.Tenant, r.ID = tenant, consentID // a worker wrote the parked request
	if _, err := svc.give(ctx, r, v); err != nil && !errors.Is(err, natsio.ErrExists) {
		return err
	}
	return nil
}
