package client

import (
	"context"
	stdjson "encoding/json"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json"

	"github.com/helve-dev/helve/protocol"
)

// Status of a [Consent].
const (
	ConsentPending   = protocol.PendingConsent
	ConsentGranted   = protocol.GrantedConsent
	ConsentDenied    = protocol.DeniedConsent
	ConsentExpired   = protocol.ExpiredConsent
	ConsentCancelled = protocol.CancelledConsent
)

// How long a consent lasts beyond the call it was requested for.
const (
	RememberOnce    = protocol.RememberOnce
	RememberProgram = protocol.RememberProgram
	RememberSession = protocol.RememberSession
	RememberAlways  = protocol.RememberAlways
)

// The kinds of a consent that does not ask for an approval: for an answer, or for an account
// that the person connects.
const (
	ConsentQuestion = protocol.ConsentQuestion
	ConsentAccount  = protocol.ConsentAccount
)

type (
	// Consent is a request to a person to approve a call. A front end that shows the
	// preview must show the warnings too.
	Consent = protocol.Consent
	// ConsentStatus is the state of a consent.
	ConsentStatus = protocol.ConsentStatus
	// ConsentCall identifies the call that waits for a consent, the first if several
	// share it.
	ConsentCall = protocol.ConsentCall
	// ConsentPage is a page of the inbox.
	ConsentPage = protocol.ConsentList
	// Verdict is the final decision on a consent.
	Verdict = protocol.Verdict
	// Remember is the duration of a decision.
	Remember = protocol.Remember
)

// ConsentFilter selects consents. Its zero value is the first page of all consents that
// the caller may see.
type ConsentFilter struct {
	// Status is one of the constants above.
	Status            ConsentStatus
	User, Agent, Tool string
	// Limit is the number of consents on a page, at most 1000; 0 means 100.
	Limit int
	// Cursor is the Next of the previous page.
	Cursor string
}

func (f ConsentFilter) params() map[string]string {
	return given(map[string]string{
		"status": string(f.Status), "user": f.User, "agent": f.Agent, "tool": f.Tool, "limit": limitText(f.Limit), "cursor": f.Cursor,
	})
}

// Decision is a person's decision on a consent.
type Decision struct {
	// Grant is true to approve, false to deny.
	Grant bool
	// Remember is the duration of an approval; empty means [RememberOnce].
	Remember Remember
	// NeverAsk makes a denial last: such calls then fail without a consent request.
	NeverAsk bool
	// Comment is a text for people, at most 1000 characters.
	Comment string
	// Answer is the answer to a question, an object; it requires Grant.
	Answer stdjson.RawMessage
}

// Consents returns a page of the inbox.
func (c *Client) Consents(ctx context.Context, f ConsentFilter) (ConsentPage, error) {
	var page ConsentPage
	body, err := c.ask(ctx, list("consent.list", "/v1/consents", f.params()))
	if err != nil {
		return page, err
	}
	return page, decode(body, &page)
}

// Consent returns a consent. An unknown or expired consent is a [*RequestError] of type
// [NotFound].
func (c *Client) Consent(ctx context.Context, id string) (Consent, error) {
	op := list("consent.get", "/v1/consents/"+id, given(map[string]string{"user": c.who.User}))
	op.fields["consent_id"] = id
	return c.consent(ctx, id, op)
}

// Decide grants or denies a consent, as the user of the client's [Context], and returns
// the updated consent. The first decision counts: a later one is a [*RequestError] of
// type [Conflict], and so may be our own decision that [WithRetry] sent twice. The
// agent that made the call cannot decide: with its name in the client's Context this is
// [Forbidden].
func (c *Client) Decide(ctx context.Context, id string, d Decision) (Consent, error) {
	word := "deny"
	if d.Grant {
		word = "grant"
	}
	body, err := json.Marshal(struct {
		ID string `json:"consent_id"`
		protocol.DecisionRequest
	}{id, protocol.DecisionRequest{
		Speaker:  protocol.Speaker{Context: protocol.SpeakerContext{User: c.who.User, Agent: c.who.Agent}},
		Decision: word, Remember: d.Remember, NeverAsk: d.NeverAsk, Comment: d.Comment, Answer: d.Answer,
	}})
	if err != nil {
		return Consent{}, misused("the decision cannot be encoded as JSON: %v", err)
	}
	return c.consent(ctx, id, operation{name: "consent.decide", method: http.MethodPost, path: "/v1/consents/" + id + "/decision", body: body})
}

func (c *Client) consent(ctx context.Context, id string, op operation) (Consent, error) {
	var got Consent
	if !callIDPattern.MatchString(id) {
		return got, misused("consent_id %.140q must have 1 to 128 letters, digits, underscores and hyphens", id)
	}
	body, err := c.ask(ctx, op)
	if err != nil {
		return got, err
	}
	return got, decode(body, &got)
}

// given returns the parameters that have a value.
func given(params map[string]string) map[string]string {
	for name, value := range params {
		if value == "" {
			delete(params, name)
		}
	}
	return params
}

func limitText(limit int) string {
	if limit == 0 {
		return ""
	}
	return strconv.Itoa(limit)
}
