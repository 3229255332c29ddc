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

	"github.com/helve-dev/helve/internal/consent/difference"
	"github.com/helve-dev/helve/protocol"
)

// asked returns the key of the single question of a call. Another question of the same
// call has another consent, and so another key.
func asked(consentID string) string { return "consent-" + consentID }

// asksIn reports whether the client can be asked during this call: it declares that it
// can show questions, and its version or transport lets it answer.
func (s *Server) asksIn(c *calling) bool {
	return c.client.Elicitation != nil && (c.stateless() || c.by.Session)
}

// ask answers a call that awaits a person with the question of a consent, its own or of a step of
// the program that it is.
func (s *Server) ask(ctx context.Context, c *calling, call Call, out Outcome, consentID string) (*sdk.CallToolResult, error) {
	q, err := s.platform.Consent(ctx, c.by, consentID)
	if err != nil {
		return out.answer().result(), nil //nolint:nilerr // who may not see the question is told what waits
	}
	if q.ConnectURL != "" && c.client.Elicitation.URL == nil {
		return out.linked(q).result(), nil
	}
	state, err := s.sealQuestion(c, call, consentID, q.ExpiresAt)
	if err != nil {
		return nil, err
	}
	return &sdk.CallToolResult{
		InputRequests: sdk.InputRequestMap{asked(consentID): s.elicit(c.client, consentID, q)},
		RequestState:  state,
	}, nil
}

// elicit builds the question: the page at which an account is connected, a page to open if
// there is a console and the client can open pages, otherwise a form.
func (s *Server) elicit(client *sdk.ClientCapabilities, consentID string, q Question) *sdk.ElicitParams {
	if q.ConnectURL != "" {
		return &sdk.ElicitParams{
			Mode:          "url",
			Message:       fmt.Sprintf("Connect your account of %s: %s", q.Service, q.Reason),
			URL:           q.ConnectURL,
			ElicitationID: consentID,
		}
	}
	if len(q.Schema) > 0 && (client.Elicitation.Form != nil || client.Elicitation.URL == nil) {
		return &sdk.ElicitParams{Mode: "form", Message: q.Question, RequestedSchema: q.Schema}
	}
	lines := []string{fmt.Sprintf("Allow this: %s? %s", q.Sentence, q.Reason), q.Preview, difference.Of(q.Changes, mostDifference)}
	for _, warning := range q.Warnings {
		lines = append(lines, "Warning: "+warning)
	}
	text := strings.TrimSpace(strings.Join(lines, "\n"))
	if s.ConsoleURL != "" && client.Elicitation.URL != nil {
		return &sdk.ElicitParams{Mode: "url", Message: text, URL: s.ConsoleURL + url.PathEscape(consentID), ElicitationID: consentID}
	}
	return &sdk.ElicitParams{Mode: "form", Message: text, RequestedSchema: rememberForm(q.Program)}
}

// mostDifference bounds the difference of files in a question, in bytes.
const mostDifference = 4096

// The forms that ask how long an approval lasts, the second about a step of a program. Accepting
// the form is the approval.
const (
	rememberOnceForm = `{"type":"object","properties":{"remember":{"type":"string","title":"Remember",` +
		`"description":"once: this call only; session: this conversation; always: until it is revoked",` +
		`"enum":["once","session","always"],"default":"once"}}}`
	rememberProgramForm = `{"type":"object","properties":{"remember":{"type":"string","title":"Remember",` +
		`"description":"once: this call only; program: for this program, %s; session: this conversation; always: until it is revoked",` +
		`"enum":["once","program","session","always"],"default":"once"}}}`
)

// rememberForm returns the form for a call of a program, nil for none.
func rememberForm(of *protocol.ConsentProgram) json.RawMessage {
	if of == nil || of.Covers == "" {
		return json.RawMessage(rememberOnceForm)
	}
	words := strings.Trim(string(encode(of.Covers)), "\"\n")
	return fmt.Appendf(nil, rememberProgramForm, words)
}

// answered continues a call whose question the client returns: call becomes the waiting
// call, and the person's answer is forwarded. A person who gave no answer is not asked
// again.
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
	if !q.about(call) {
		return false, errOtherArguments
	}
	if err := s.decide(ctx, c.by, c.client, q.ConsentID, reply); err != nil {
		if _, wrong := errors.AsType[*jsonrpc.Error](err); wrong {
			return false, err
		}
		return false, &refusedAnswer{q.ConsentID, err}
	}
	// After an answer the call runs or ends. A person who opened a page may still be
	// reading it.
	call.ConsentWait = reply.Action != "cancel"
	return call.ConsentWait && c.stateless(), nil
}

// decide forwards a person's answer. For a page the answer here is ignored: the
// decision was made on the page. Closing the question leaves it open.
func (s *Server) decide(ctx context.Context, by Caller, client *sdk.ClientCapabilities, consentID string, reply *sdk.ElicitResult) error {
	byPage := s.ConsoleURL != "" && client.Elicitation != nil && client.Elicitation.URL != nil
	answer := Answer{Remember: "once"}
	switch {
	case reply.Action == "cancel" || byPage && reply.Action == "accept" && len(reply.Content) == 0:
		return nil
	case reply.Action == "accept" && s.isAccount(ctx, by, consentID):
		return nil // the person opens the page, on which the account is connected
	case reply.Action == "accept" && s.isQuestion(ctx, by, consentID):
		content, err := json.Marshal(reply.Content)
		if err != nil {
			return invalid("the answer is not an object")
		}
		answer.Grant, answer.Answer = true, content
	case reply.Action == "accept":
		answer.Grant = true
		if given, ok := reply.Content["remember"].(string); ok && given != "" {
			answer.Remember = given
		}
	case reply.Action != "decline":
		return invalid("the action %.40q is none; use accept, decline or cancel", reply.Action)
	}
	err := s.platform.Decide(ctx, by, consentID, answer)
	if errors.Is(err, ErrDecided) { // the first decision counts, and determines the outcome of the call
		return nil
	}
	return err
}

// isQuestion reports whether a person is asked for an answer rather than an approval.
func (s *Server) isQuestion(ctx context.Context, by Caller, consentID string) bool {
	q, err := s.platform.Consent(ctx, by, consentID)
	return err == nil && len(q.Schema) > 0
}

// isAccount reports whether a person is asked to connect an account.
func (s *Server) isAccount(ctx context.Context, by Caller, consentID string) bool {
	q, err := s.platform.Consent(ctx, by, consentID)
	return err == nil && q.ConnectURL != ""
}

// unasked answers a call that awaits a person for a client that cannot ask: with the link at
// which an account is connected, if it waits for one.
func (s *Server) unasked(ctx context.Context, by Caller, out Outcome) *sdk.CallToolResult {
	q, err := s.platform.Consent(ctx, by, out.ConsentID)
	if err != nil || q.ConnectURL == "" {
		return out.answer().result() // who may not see the question is told what waits
	}
	return out.linked(q).result()
}

// errOtherArguments means that a person's answer came with other arguments than those that
// the person was asked about. Nothing is decided, and the call keeps waiting.
var errOtherArguments = errors.New("requestState was given for this tool with other arguments; send it with the arguments that the " +
	"person was asked about, or call again without it")

// refusedAnswer means that a person's answer was rejected, because the caller may not
// decide. The call keeps waiting.
type refusedAnswer struct {
	consentID string
	why       error
}

// Error returns the reason.
func (r *refusedAnswer) Error() string { return r.why.Error() }

// result returns the answer for a client that cannot be asked.
func (r *refusedAnswer) result(call Call) *sdk.CallToolResult {
	a := Outcome{CallID: call.ID, Tool: call.Tool, Status: pending, State: awaiting, ConsentID: r.consentID}.answer()
	a.text += " (the answer given here does not count: " + r.why.Error() + ")"
	return a.result()
}

// ErrDecided is in the chain of the error that [Platform.Decide] returns for a consent
// that is already decided.
var ErrDecided = errors.New("decided already")
