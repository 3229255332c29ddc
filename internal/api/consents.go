package api

import (
	"context"
	"slices"
	"unicode/utf8"

	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/tool"
)

var (
	statuses = []consent.Status{
		consent.Pending, consent.Granted, consent.Denied, consent.Expired, consent.Cancelled, consent.Refused,
	}
	// inboxers see everybody's consents, as whom they decide for or watch over.
	inboxers = []identity.Role{identity.Approver, identity.Admin, identity.Auditor}
)

// ConsentList answers consent.list.
type ConsentList struct {
	Consents []consent.Request `json:"consents"`
	Next     string            `json:"next,omitempty"`
}

// DecisionRequest is the body of consent.decide.
type DecisionRequest struct {
	Speaker
	Decision string           `json:"decision"`
	Remember consent.Remember `json:"remember,omitempty"`
	NeverAsk bool             `json:"never_ask,omitempty"`
	Comment  string           `json:"comment,omitempty"`
}

func (s *Service) listConsents(ctx context.Context, in Input) (Reply, error) {
	if s.gate.Consents == nil {
		return Reply{}, missing("consents")
	}
	f, err := consentFilter(in)
	if err != nil {
		return Reply{}, err
	}
	list, next, err := s.gate.Consents.List(ctx, in.Tenant, f)
	if err != nil {
		return Reply{}, err
	}
	return answer(ConsentList{array(list), next})
}

func consentFilter(in Input) (f consent.Filter, err error) {
	f = consent.Filter{
		Status: consent.Status(in.Params["status"]), Agent: in.Params["agent"], Tool: in.Params["tool"], Cursor: in.Params["cursor"],
	}
	if f.Status != "" && !slices.Contains(statuses, f.Status) {
		return f, notOneOf("status", string(f.Status), statuses)
	}
	if err := optionalName("agent", f.Agent); err != nil {
		return f, err
	}
	if f.Tool != "" && !tool.ValidName(f.Tool) {
		return f, BadRequest("%.80q is not a tool's name", f.Tool)
	}
	if f.Limit, err = pageSize(in.Params["limit"]); err != nil {
		return f, err
	}
	f.User, err = whose(in, in.Params["user"], inboxers...)
	return f, err
}

func (s *Service) getConsent(ctx context.Context, in Input) (Reply, error) {
	user, err := whose(in, in.Params["user"], inboxers...)
	if err != nil {
		return Reply{}, err
	}
	c, err := s.consent(ctx, in)
	if err != nil {
		return Reply{}, err
	}
	if !in.By.Has(inboxers...) && user != c.User {
		return Reply{}, notYours(c)
	}
	return answer(c)
}

// consent returns the one that the request is about.
func (s *Service) consent(ctx context.Context, in Input) (consent.Request, error) {
	if s.gate.Consents == nil {
		return consent.Request{}, missing("consents")
	}
	id := in.Params["consent_id"]
	if !validName(id, maxCallID) {
		return consent.Request{}, badName("consent_id", id, maxCallID)
	}
	return s.gate.Consents.Get(ctx, in.Tenant, id)
}

// decideConsent lets a person decide what was asked of them, and an approver
// what was asked of anybody; never the agent that asked.
func (s *Service) decideConsent(ctx context.Context, in Input) (Reply, error) {
	d, said, err := parseDecision(in)
	if err != nil {
		return Reply{}, err
	}
	by, err := said.person(in)
	if err != nil {
		return Reply{}, err
	}
	c, err := s.consent(ctx, in)
	if err != nil {
		return Reply{}, err
	}
	if by.Agent != "" && by.Agent == c.Agent {
		return Reply{}, Forbidden("the agent that asked cannot approve: a person must decide, as themselves")
	}
	if by.User != c.User && !by.Has(identity.Approver) {
		return Reply{}, notYours(c)
	}
	if c, err = s.gate.Consents.Decide(ctx, in.Tenant, c.ConsentID, d, by); err != nil {
		return Reply{}, err
	}
	return answer(c)
}

func parseDecision(in Input) (d consent.Decision, said Speaker, err error) {
	var body DecisionRequest
	if err := parseBody(in.Body, &body, `{"decision": "grant", "remember": "once"}`); err != nil {
		return d, said, err
	}
	d = consent.Decision{Grant: body.Decision == "grant", Remember: body.Remember, NeverAsk: body.NeverAsk, Comment: body.Comment}
	if d.Remember == "" {
		d.Remember = consent.Once
	}
	terms := []consent.Remember{consent.Once, consent.Session, consent.Always}
	switch {
	case !d.Grant && body.Decision != "deny":
		err = notOneOf("decision", body.Decision, []string{"grant", "deny"})
	case !slices.Contains(terms, d.Remember):
		err = notOneOf("remember", string(d.Remember), terms)
	case d.Grant && d.NeverAsk:
		err = BadRequest("never_ask goes with a denial; to grant without being asked again, set remember to always")
	case utf8.RuneCountInString(d.Comment) > consent.MaxComment:
		err = BadRequest("comment has more than %d characters; shorten it", consent.MaxComment)
	}
	return d, body.Speaker, err
}

func notYours(c consent.Request) error {
	return Forbidden("consent %q is not asked of you; its user or an approver can see to it", c.ConsentID)
}
