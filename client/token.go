package client

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/helve-dev/helve/tool"
)

// TokenSpec says what a confirm token covers.
type TokenSpec struct {
	// User is whose calls it confirms; empty means the client's.
	User string
	// TraceID is the trace that the calls have, 32 lower-case hex digits.
	TraceID string
	// Tools are exact names, 1 to 100.
	Tools []string
	// Scopes narrow what the tools may reach; a high-risk call needs them.
	Scopes *tool.Scopes
	// ArgsHash and CallID bind the token to one call.
	ArgsHash, CallID string
	// TTL is how long it holds, 1 s to 24 h; 0 means 5 minutes.
	TTL time.Duration
	// Reusable lets it confirm more than one call.
	Reusable bool
}

// Token is a confirm token: whoever has it can make the calls it covers.
type Token struct {
	// Token is the ConfirmToken of a [Call].
	Token     string    `json:"token"`
	ID        string    `json:"token_id"`
	ExpiresAt time.Time `json:"expires_at"`
}

// MintToken approves calls before they are made. Only a person may: with an
// agent alone in the client's [Context] this is [Forbidden].
func (c *Client) MintToken(ctx context.Context, spec TokenSpec) (Token, error) {
	var got Token
	body, err := json.Marshal(struct {
		User       string       `json:"user,omitzero"`
		TraceID    string       `json:"trace_id"`
		Tools      []string     `json:"tools"`
		Scopes     *tool.Scopes `json:"scopes,omitzero"`
		ArgsHash   string       `json:"args_hash,omitzero"`
		CallID     string       `json:"call_id,omitzero"`
		TTLSeconds float64      `json:"ttl_seconds,omitzero"`
		Reusable   bool         `json:"reusable,omitzero"`
		Context    Context      `json:"context,omitzero"`
	}{
		cmp.Or(spec.User, c.who.User), spec.TraceID, spec.Tools, spec.Scopes, spec.ArgsHash, spec.CallID,
		spec.TTL.Seconds(), spec.Reusable, Context{Agent: c.who.Agent},
	})
	if err != nil {
		return got, misused("the token's spec cannot be encoded as JSON: %v", err)
	}
	answer, err := c.ask(ctx, operation{name: "tokens.mint", method: http.MethodPost, path: "/v1/tokens", body: body})
	if err != nil {
		return got, err
	}
	return got, decode(answer, &got)
}
