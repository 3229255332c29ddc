package client

import (
	"context"
	stdjson "encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/helve-dev/helve/tool"
)

// Status of a [Consent].
const (
	ConsentPending   = "pending"
	ConsentGranted   = "granted"
	ConsentDenied    = "denied"
	ConsentExpired   = "expired"
	ConsentCancelled = "cancelled"
)

// How long a granted consent holds beyond the call it was asked for.
const (
	RememberOnce    = "once"
	RememberSession = "session"
	RememberAlways  = "always"
)

// Consent is what a person is asked before a call may run.
type Consent struct {
	ID     string      `json:"consent_id"`
	Status string      `json:"status"`
	Call   ConsentCall `json:"call"`
	Tool   string      `json:"tool"`
	Risk   tool.Risk   `json:"risk"`
	// Reason says why a person is asked, Rule which rule wants it.
	Reason string `json:"reason"`
	Rule   string `json:"rule,omitzero"`
	// Permissions and Scopes are what a grant gives.
	Permissions  []string    `json:"permissions"`
	Scopes       tool.Scopes `json:"scopes"`
	Tenant       string      `json:"tenant"`
	User         string      `json:"user"`
	Agent        string      `json:"agent,omitzero"`
	Conversation string      `json:"conversation,omitzero"`
	// Arguments are those of the call, with secrets hidden; Preview is the same
	// as lines of text.
	Arguments stdjson.RawMessage `json:"arguments"`
	Preview   string             `json:"preview"`
	// Warnings are sentences about what in them is not what it looks like: whoever
	// shows the preview shows these too.
	Warnings []string `json:"warnings,omitzero"`
	// ArgsHash is that of the arguments that will run.
	ArgsHash    string    `json:"args_hash"`
	RequestedAt time.Time `json:"requested_at"`
	ExpiresAt   time.Time `json:"expires_at"`
	// Verdict is how it ended; nil while it is pending.
	Verdict *Verdict `json:"decision,omitzero"`
}

// ConsentCall names the call that waits for a consent, the first where several
// share one.
type ConsentCall struct {
	CallID     string `json:"call_id"`
	ToolCallID string `json:"tool_call_id,omitzero"`
	TraceID    string `json:"trace_id"`
}

// Verdict is the one end of a consent.
type Verdict struct {
	Status   string    `json:"status"`
	By       string    `json:"by"`
	At       time.Time `json:"at"`
	Remember string    `json:"remember,omitzero"`
	NeverAsk bool      `json:"never_ask,omitzero"`
	Comment  string    `json:"comment,omitzero"`
}

// ConsentFilter narrows the inbox. Its zero value is the first page of all that
// the caller may see.
type ConsentFilter struct {
	// Status is one of the constants above.
	Status            string
	User, Agent, Tool string
	// Limit is how many a page holds, at most 1000; 0 means 100.
	Limit int
	// Cursor is the Next of the page before.
	Cursor string
}

func (f ConsentFilter) params() map[string]string {
	return given(map[string]string{
		"status": f.Status, "user": f.User, "agent": f.Agent, "tool": f.Tool, "limit": limitText(f.Limit), "cursor": f.Cursor,
	})
}

// ConsentPage is a part of the inbox.
type ConsentPage struct {
	Consents []Consent `json:"consents"`
	// Next is the cursor of the next page; empty on the last.
	Next string `json:"next,omitzero"`
}

// Decision is what a person says to a consent.
type Decision struct {
	// Grant is yes, its zero value no.
	Grant bool
	// Remember is how long a yes holds; empty means [RememberOnce].
	Remember string
	// NeverAsk makes a no hold: such calls then fail without a question.
	NeverAsk bool
	// Comment is for people, at most 1000 characters.
	Comment string
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

// Consent returns a consent; one that is not known, or no longer, is a
// [*RequestError] of type [NotFound].
func (c *Client) Consent(ctx context.Context, id string) (Consent, error) {
	op := list("consent.get", "/v1/consents/"+id, given(map[string]string{"user": c.who.User}))
	op.fields["consent_id"] = id
	return c.consent(ctx, id, op)
}

// Decide grants or denies a consent, as the user of the client's [Context], and
// returns it as it then is. The first decision counts: one that comes later is a
// [*RequestError] of type [Conflict], and so may be one of our own that [WithRetry]
// sent again. The agent that asked cannot decide: with its name in the client's
// Context this is [Forbidden].
func (c *Client) Decide(ctx context.Context, id string, d Decision) (Consent, error) {
	word := "deny"
	if d.Grant {
		word = "grant"
	}
	body, err := json.Marshal(struct {
		ID       string  `json:"consent_id"`
		Decision string  `json:"decision"`
		Remember string  `json:"remember,omitzero"`
		NeverAsk bool    `json:"never_ask,omitzero"`
		Comment  string  `json:"comment,omitzero"`
		Context  Context `json:"context,omitzero"`
	}{id, word, d.Remember, d.NeverAsk, d.Comment, Context{User: c.who.User, Agent: c.who.Agent}})
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

// given returns those of the parameters that have a value.
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
