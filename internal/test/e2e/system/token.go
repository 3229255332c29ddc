package system

import (
	"fmt"
	"strings"
	"testing"
)

// MintToken makes a token for u1's calls of a trace; more holds further members of the request.
func MintToken(t testing.TB, d Door, tenant, trace, more string) string {
	t.Helper()
	r := d.Ask(t, tenant, "tokens.mint", nil, fmt.Sprintf(`{"user": "u1", "by": "u1", "trace_id": %q, %s}`, trace, more))
	if r.Status != 200 {
		t.Fatalf("tokens.mint = %d %s", r.Status, r.Body)
	}
	return Decode[struct {
		Token string `json:"token"`
	}](t, r).Token
}

// ExecuteWithToken sends one call with a token, as a user or, with "", without one.
func ExecuteWithToken(t testing.TB, d Door, tenant, user, trace, tok, call string) Element {
	t.Helper()
	with := strings.Replace(call, "{", fmt.Sprintf(`{"confirm_token": %q, `, tok), 1)
	context := "{}"
	if user != "" {
		context = fmt.Sprintf(`{"user": %q}`, user)
	}
	return Execute(t, d, tenant, fmt.Sprintf(`{"context": %s, "trace_id": %q, "calls": [%s]}`, context, trace, with)).Results[0]
}
