package client

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// TokenSpec describes the calls that a confirm token covers.
type TokenSpec struct {
	// User is the person whose calls it confirms; empty means the client's.
	User string
	// TraceID is the trace of the calls, 32 lower-case hex digits.
	TraceID string
	// Tools are exact names, 1 to 100.
	Tools []string
	// Scopes restrict what the tools may reach; a high-risk call needs them.
	Scopes *tool.Scopes
	// ArgsHash and CallID bind the token to one call.
	ArgsHash, CallID string
	// Program restricts the token to the steps of a program that runs or waits, by its call_id;
	// TraceID may then be empty. Its steps bring the token along.
	Program string
	// TTL is the validity of the token, 1 s to 24 h; 0 means 5 minutes.
	TTL time.Duration
	// Reusable lets it confirm more than one call.
	Reusable bool
}

// Token is a confirm token: any holder can make the calls it covers. Its field Token is
// the ConfirmToken of a [Call].
type Token = protocol.MintedToken

// MintToken approves calls before they are made. Only a person may: with an agent alone
// in the client's [Context] this is [Forbidden].
func (c *Client) MintToken(ctx context.Context, spec TokenSpec) (Token, error) {
	var got Token
	req := protocol.MintRequest{
		Speaker: protocol.Speaker{Context: protocol.SpeakerContext{Agent: c.who.Agent}},
		User:    cmp.Or(spec.User, c.who.User), TraceID: spec.TraceID, Tools: spec.Tools, Scopes: spec.Scopes,
		ArgsHash: spec.ArgsHash, CallID: spec.CallID, Program: spec.Program, Reusable: spec.Reusable,
	}
	if seconds := spec.TTL.Seconds(); seconds != 0 {
		req.TTLSeconds = &seconds
	}
	body, err := json.Marshal(req)
	if err != nil {
		return got, misused("the token's spec cannot be encoded as JSON: %v", err)
	}
	answer, err := c.ask(ctx, operation{name: "tokens.mint", method: http.MethodPost, path: "/v1/tokens", body: body})
	if err != nil {
		return got, err
	}
	return got, decode(answer, &got)
}
