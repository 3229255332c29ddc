package api

import (
	"context"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/consent/sentence"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

var (
	statuses = []protocol.ConsentStatus{
		protocol.PendingConsent, protocol.GrantedConsent, protocol.DeniedConsent, protocol.ExpiredConsent, protocol.CancelledConsent,
		protocol.RefusedConsent,
	}
	// inboxers may see everybody's consents, because they decide or supervise.
	inboxers = []identity.Role{identity.Approver, identity.Admin, identity.Auditor}
)

func (s *Service) listConsents(ctx context.Context, in Input) (Reply, error) {
	if s.Gate.Consents == nil {
		return Reply{}, missing("consents")
	}
	f, err := consentFilter(in)
	if err != nil {
		return Reply{}, err
	}
	known := in.Params["revision"]
	revision, err := s.revision(ctx, in, f.User, known)
	if err != nil {
		return Reply{}, err
	}
	if known != "" && known == revision {
		return answer(protocol.ConsentList{Consents: []protocol.Consent{}, Revision: revision, Unchanged: true})
	}
	list, next, err := s.Gate.Consents.List(ctx, in.Tenant, f)
	if err == nil {
		err = s.viewed(ctx, in.Tenant, "consent.list", list...)
	}
	if err != nil {
		return Reply{}, err
	}
	for i := range list {
		in.say(&list[i])
	}
	return answer(protocol.ConsentList{Consents: array(list), Next: next, Revision: revision})
}

// maxInboxWait bounds the wait for a change of an inbox, so that the list can still be read
// within the time of an operation.
const maxInboxWait = 8 * time.Second

// revision returns the revision of the inbox, after the wait that the request asks for. It
// is read before the list, so that no change between them is missed.
func (s *Service) revision(ctx context.Context, in Input, user, known string) (string, error) {
	var wait time.Duration
	if text := in.Params["wait_ms"]; text != "" {
		ms, err := strconv.Atoi(text)
		if err != nil || ms < 0 {
			return "", BadRequest("wait_ms must be a number of milliseconds, 0 or more, but it is %.40q", text)
		}
		wait = min(time.Duration(min(ms, int(maxInboxWait.Milliseconds())))*time.Millisecond, maxInboxWait)
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	if in.Ending != nil && wait > 0 {
		go func() {
			select {
			case <-in.Ending:
				cancel()
			case <-ctx.Done():
			}
		}()
	}
	return s.Gate.Consents.Revision(ctx, in.Tenant, user, known), nil
}

func consentFilter(in Input) (f consent.Filter, err error) {
	f = consent.Filter{
		Status: protocol.ConsentStatus(in.Params["status"]), Agent: in.Params["agent"], Tool: in.Params["tool"], Cursor: in.Params["cursor"],
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
	if f.Oldest, err = flag("oldest", in.Params["oldest"]); err != nil {
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
		return Reply{}, consent.NoSuch()
	}
	if err := s.viewed(ctx, in.Tenant, "consent.get", c); err != nil {
		return Reply{}, err
	}
	in.say(&c)
	return answer(c)
}

// say sets the sentence of a consent in the language of the reader.
func (in *Input) say(c *protocol.Consent) {
	c.Sentence = sentence.Of(preferred(in.Language), c)
}

// viewed records that the caller is shown consents, with the arguments of their calls.
func (s *Service) viewed(ctx context.Context, tenant, operation string, list ...protocol.Consent) error {
	if s.Gate.Views == nil {
		return nil
	}
	return s.Gate.Views.Consents(ctx, tenant, operation, list)
}

// looked records that the caller is shown what belongs to a person, unless it is the caller's.
func (s *Service) looked(ctx context.Context, tenant, user, operation, what string) error {
	if s.Gate.Views == nil {
		return nil
	}
	return s.Gate.Views.Person(ctx, tenant, user, operation, what)
}

// consent returns the consent of the request.
func (s *Service) consent(ctx context.Context, in Input) (protocol.Consent, error) {
	if s.Gate.Consents == nil {
		return protocol.Consent{}, missing("consents")
	}
	id := in.Params["consent_id"]
	if !validName(id, maxCallID) {
		return protocol.Consent{}, badName("consent_id", id, maxCallID)
	}
	return s.Gate.Consents.Get(ctx, in.Tenant, id)
}

// decideConsent lets a person decide their own consents, and an approver anybody's;
// never the agent that made the call.
func (s *Service) decideConsent(ctx context.Context, in Input) (Reply, error) {
	d, said, err := parseDecision(in)
	if err != nil {
		return Reply{}, err
	}
	by, err := personOf(said, in)
	if err != nil {
		return Reply{}, err
	}
	c, err := s.consent(ctx, in)
	if err != nil {
		return Reply{}, err
	}
	if by.User != c.User && !by.Has(identity.Approver) {
		return Reply{}, consent.NoSuch()
	}
	if by.Agent != "" && by.Agent == c.Agent {
		return Reply{}, Forbidden("the agent that asked cannot approve: a person must decide, as themselves")
	}
	if c, err = s.Gate.Consents.Decide(ctx, in.Tenant, c.ID, d, by); err != nil {
		return Reply{}, err
	}
	in.say(&c)
	return answer(c)
}

func parseDecision(in Input) (d consent.Decision, said protocol.Speaker, err error) {
	var body protocol.DecisionRequest
	if err := parseBody(in.Body, &body, `{"decision": "grant", "remember": "once"}`); err != nil {
		return d, said, err
	}
	d = consent.Decision{
		Grant:    body.Decision == "grant",
		Remember: body.Remember,
		NeverAsk: body.NeverAsk,
		Comment:  body.Comment,
		Answer:   body.Answer,
	}
	if d.Remember == "" {
		d.Remember = protocol.RememberOnce
	}
	terms := []protocol.Remember{protocol.RememberOnce, protocol.RememberProgram, protocol.RememberSession, protocol.RememberAlways}
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
