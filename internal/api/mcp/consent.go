package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// asked is the key of the one question of a call. Another question of the same call
// has another consent, and so another key.
func asked(consentID string) string { return "consent-" + consentID }

// asksIn reports whether the client can be asked in the middle of this call: it says
// that it can show questions, and its version or its transport gives it a way to
// answer.
func (s *Server) asksIn(c *calling) bool {
	return c.client.Elicitation != nil && (c.stateless() || c.by.Session)
}

// ask answers a call that awaits a person with the question for them.
func (s *Server) ask(ctx context.Context, c *calling, call Call, out Outcome) (*sdk.CallToolResult, error) {
	q, err := s.platform.Consent(ctx, c.by, out.ConsentID)
	if err != nil {
		return out.answer().result(), nil //nolint:nilerr // who may not see the question is told what waits
	}
	state, err := s.sealQuestion(c, call, out.ConsentID, q.ExpiresAt)
	if err != nil {
		return nil, err
	}
	return &sdk.CallToolResult{
		InputRequests: sdk.InputRequestMap{asked(out.ConsentID): s.elicit(c.client, out.ConsentID, q)},
		RequestState:  state,
	}, nil
}

// elicit writes the question: a page to open where there is a console and the client
// can send people there, and else a form.
func (s *Server) elicit(client *sdk.ClientCapabilities, consentID string, q Question) *sdk.ElicitParams {
	lines := []string{fmt.Sprintf("Allow %s? %s", q.Tool, q.Reason), q.Preview}
	for _, warning := range q.Warnings {
		lines = append(lines, "Warning: "+warning)
	}
	text := strings.TrimSpace(strings.Join(lines, "\n"))
	if s.ConsoleURL != "" && client.Elicitation.URL != nil {
		return &sdk.ElicitParams{Mode: "url", Message: text, URL: s.ConsoleURL + url.PathEscape(consentID), ElicitationID: consentID}
	}
	return &sdk.ElicitParams{Mode: "form", Message: text, RequestedSchema: rememberForm}
}

// rememberForm asks for how long a yes is to hold. Accepting the form is the yes.
var rememberForm = json.RawMessage(`{"type":"object","properties":{"remember":{"type":"string","title":"Remember",` +
	`"description":"once: this call only; session: this conversation; always: until it is revoked",` +
	`"enum":["once","session","always"],"default":"once"}}}`)

// answered goes on with a call whose question the client brings back: call becomes
// the one that waits, and what the person said is handed on. Who said nothing is not
// asked again.
func (s *Server) answered(ctx context.Context, c *calling, call *Call, params *sdk.CallToolParamsRaw) (asksAgain bool, err error) {
	q, err := s.openQuestion(c, params.RequestState)
	if err != nil {
		return false, err
	}
	call.ID, call.Fresh, call.TraceID, call.Traceparent = q.CallID, false, q.TraceID, ""
	reply, ok := params.InputResponses[asked(q.ConsentID)].(*sdk.ElicitResult)
	if !ok {
		return false, invalid("inputResponses has no answer %q, which the call was asked for", asked(q.ConsentID))
	}
	if err := s.decide(ctx, c.by, c.client, q.ConsentID, reply); err != nil {
		if _, wrong := errors.AsType[*jsonrpc.Error](err); wrong {
			return false, err
		}
		return false, &refusedAnswer{q.ConsentID, err}
	}
	// After an answer the call runs or ends. Who opened a page may still be reading it.
	call.ConsentWait = reply.Action != "cancel"
	return call.ConsentWait && c.stateless(), nil
}

// decide hands on what a person said. A page that was opened says nothing here: what
// was decided there came another way. One that closed the question leaves it open.
func (s *Server) decide(ctx context.Context, by Caller, client *sdk.ClientCapabilities, consentID string, reply *sdk.ElicitResult) error {
	byPage := s.ConsoleURL != "" && client.Elicitation != nil && client.Elicitation.URL != nil
	answer := Answer{Remember: "once"}
	switch {
	case reply.Action == "cancel" || byPage && reply.Action == "accept":
		return nil
	case reply.Action == "accept":
		answer.Grant = true
		if given, ok := reply.Content["remember"].(string); ok && given != "" {
			answer.Remember = given
		}
	case reply.Action != "decline":
		return invalid("the action %.40q is none; use accept, decline or cancel", reply.Action)
	}
	err := s.platform.Decide(ctx, by, consentID, answer)
	if errors.Is(err, ErrDecided) { // what was decided first counts, and shows in how the call ends
		return nil
	}
	return err
}

// refusedAnswer says that what a person answered does not count: who brought it may not
// decide. The call waits on.
type refusedAnswer struct {
	consentID string
	why       error
}

// Error returns why.
func (r *refusedAnswer) Error() string { return r.why.Error() }

// result tells the client, as it tells one that cannot be asked.
func (r *refusedAnswer) result(call Call) *sdk.CallToolResult {
	a := Outcome{CallID: call.ID, Tool: call.Tool, Status: pending, State: awaiting, ConsentID: r.consentID}.answer()
	a.text += " (the answer given here does not count: " + r.why.Error() + ")"
	return a.result()
}

// ErrDecided is in the chain of [Platform.Decide]'s error for a consent that has its
// verdict.
var ErrDecided = errors.New("decided already")
