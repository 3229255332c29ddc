package e2e

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/keyfile"
	"github.com/helve-dev/helve/internal/schema"
	"github.com/helve-dev/helve/internal/token"
)

// mint makes a token for u1's calls of a trace; more is members of the request.
func mint(t testing.TB, d door, tenant, trace, more string) string {
	t.Helper()
	r := d.ask(t, tenant, "tokens.mint", nil, fmt.Sprintf(`{"user": "u1", "by": "u1", "trace_id": %q, %s}`, trace, more))
	if r.status != 200 {
		t.Fatalf("tokens.mint = %d %s", r.status, r.body)
	}
	return decode[struct {
		Token string `json:"token"`
	}](t, r).Token
}

// show sends one call of a user, or of nobody with "", with a token.
func show(t testing.TB, d door, tenant, user, trace, tok, call string) element {
	t.Helper()
	with := strings.Replace(call, "{", fmt.Sprintf(`{"confirm_token": %q, `, tok), 1)
	context := "{}"
	if user != "" {
		context = fmt.Sprintf(`{"user": %q}`, user)
	}
	return execute(t, d, tenant, fmt.Sprintf(`{"context": %s, "trace_id": %q, "calls": [%s]}`, context, trace, with)).Results[0]
}

// signer signs with a system's own key: what it makes is wrong only in what it
// says.
func (s *system) signer(t testing.TB) *token.Signer {
	t.Helper()
	key, err := keyfile.Load(filepath.Join(s.cfg.Data, "keys"), "token")
	if err != nil {
		t.Fatal(err)
	}
	return token.NewSigner(key)
}

// otherSigner has a key that the system does not know.
func otherSigner(t testing.TB) *token.Signer {
	t.Helper()
	key, err := keyfile.Load(t.TempDir(), "token")
	if err != nil {
		t.Fatal(err)
	}
	return token.NewSigner(key)
}

// theft is a way to use a token that was minted for something else.
type theft struct {
	name    string
	more    string // of the minted token, beside tools
	user    string
	tenant  string // "" is the token's own
	trace   string
	call    string
	binding string
}

// TestStolenToken shows good tokens for what they were not minted for. Each ends
// the call, parks nothing, runs nothing, and is still good for its own call.
func TestStolenToken(t *testing.T) {
	t.Parallel()
	const call = `{"call_id": "x1", "tool": "debug.guarded", "arguments": {"key": "mine"}}`
	hash, err := schema.Hash([]byte(`{"key": "mine"}`))
	if err != nil {
		t.Fatal(err)
	}
	own := newTrace()
	for _, tt := range []theft{
		{name: "another user", user: "u2", trace: own, call: call, binding: "user"},
		{name: "no user", user: "", trace: own, call: call, binding: "user"},
		{name: "another tenant", user: "u1", tenant: "thief", trace: own, call: call, binding: "tenant"},
		{name: "another trace", user: "u1", trace: newTrace(), call: call, binding: "trace_id"},
		{name: "another tool", user: "u1", trace: own, call: `{"call_id": "x1", "tool": "contract_long", "arguments": {"text": "t"}}`, binding: "tool"},
		{name: "other arguments", more: fmt.Sprintf(`, "args_hash": %q`, hash), user: "u1", trace: own, call: strings.Replace(call, "mine", "yours", 1), binding: "arguments"},
		{name: "another call", more: `, "call_id": "c1"`, user: "u1", trace: own, call: call, binding: "call"},
	} {
		everyDoor(t, shared, func(t *testing.T, d door) {
			tenant := newTenant()
			tok := mint(t, d, tenant, own, `"tools": ["debug.guarded"]`+tt.more)
			victim := tenant
			if tt.tenant != "" {
				victim = newTenant()
			}
			e := show(t, d, victim, tt.user, tt.trace, tok, tt.call)
			wantRefused(t, d, victim, e, tt.binding)
			if lines := append(ledger(t, shared, victim, "u1"), ledger(t, shared, victim, "u2")...); len(lines) > 0 {
				t.Errorf("%s: the ledger has %q", tt.name, lines)
			}
			good := show(t, d, tenant, "u1", own, tok, strings.Replace(call, "x1", "c1", 1))
			if good.Status != "success" {
				t.Errorf("%s: the token is no good any more for its own call: %v", tt.name, good)
			}
		})
	}
}

// wantRefused wants a call that a wrong token ended: with a sentence that names
// the binding, on record, and with nobody asked.
func wantRefused(t testing.TB, d door, tenant string, e element, binding string) {
	t.Helper()
	names := map[string]string{"trace_id": "trace", "call": "another call", "format": "not one of this system", "key": "key", "expired": "expired", "used": "used before"}
	word := names[binding]
	if word == "" {
		word = binding
	}
	wantError(t, e, "permission_denied", word)
	if r := refusalOf(t, d, tenant, e.CallID); r.Decision.Rule != "token:"+binding || r.Decision.Outcome != "blocked" {
		t.Errorf("a token with a wrong %s: the audit trail has %+v, want it refused by token:%[1]s", binding, r)
	}
	if waiting := consents(t, d, tenant, ""); len(waiting) != 0 {
		t.Errorf("a token with a wrong %s had somebody asked: %+v", binding, waiting)
	}
}

// TestForgedToken changes tokens, makes new ones with another key, and gives
// out-of-date ones with the right key.
func TestForgedToken(t *testing.T) {
	t.Parallel()
	trace, now, d := newTrace(), time.Now(), shared.http(0)
	ours, theirs := shared.signer(t), otherSigner(t)
	sign := func(s *token.Signer, tenant string, change func(*token.Claims)) string {
		c := token.Claims{
			ID: "forged-" + tenant, Tenant: tenant, User: "u1", TraceID: trace, Tools: []string{"debug.guarded"},
			IssuedAt: now.Add(-time.Minute), Expires: now.Add(time.Hour), By: "u1",
		}
		change(&c)
		text, err := s.Mint(c)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	same := func(*token.Claims) {}
	part := func(text string, i int) string { return strings.Split(text, ".")[i] }
	// with puts another body into a token and leaves its footer.
	with := func(text string, change func([]byte) []byte) string {
		body, err := base64.RawURLEncoding.DecodeString(part(text, 2))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join([]string{"v4", "public", base64.RawURLEncoding.EncodeToString(change(body)), part(text, 3)}, ".")
	}
	for name, tt := range map[string]struct {
		make    func(tenant string) string
		binding string
	}{
		"expired": {func(n string) string {
			return sign(ours, n, func(c *token.Claims) { c.Expires = now.Add(-token.Skew - time.Second) })
		}, "expired"},
		"reusable and expired": {func(n string) string {
			return sign(ours, n, func(c *token.Claims) { c.Reusable, c.Expires = true, now.Add(-token.Skew-time.Second) })
		}, "expired"},
		"from the future": {func(n string) string {
			return sign(ours, n, func(c *token.Claims) { c.IssuedAt = now.Add(token.Skew + 20*time.Minute) })
		}, "not_yet"},
		"of another key": {func(n string) string { return sign(theirs, n, same) }, "key"},
		"of another key, under our name": {func(n string) string {
			forged, good := sign(theirs, n, same), sign(ours, n, same)
			return strings.TrimSuffix(forged, part(forged, 3)) + part(good, 3)
		}, "signature"},
		"with another user in it": {func(n string) string {
			return with(sign(ours, n, func(c *token.Claims) { c.User = "u2" }), func(b []byte) []byte {
				return []byte(strings.Replace(string(b), `"u2"`, `"u1"`, 1))
			})
		}, "signature"},
		"with a bit of its signature changed": {func(n string) string {
			return with(sign(ours, n, same), func(b []byte) []byte { b[len(b)-1] ^= 1; return b })
		}, "signature"},
		"without a signature": {func(n string) string {
			return with(sign(ours, n, same), func(b []byte) []byte { return b[:len(b)-64] })
		}, "signature"},
		"without a footer": {func(n string) string {
			return strings.TrimSuffix(sign(ours, n, same), "."+part(sign(ours, n, same), 3))
		}, "format"},
		"of another purpose": {func(n string) string { return strings.Replace(sign(ours, n, same), "v4.public", "v4.local", 1) }, "format"},
		"of another version": {func(n string) string { return strings.Replace(sign(ours, n, same), "v4.public", "v2.public", 1) }, "format"},
		"a JWT that signs nothing": {func(n string) string {
			claims, err := json.Marshal(map[string]any{"sub": "u1", "tenant": n, "trace_id": trace, "tools": []string{"debug.guarded"}, "exp": now.Add(time.Hour).Unix()})
			if err != nil {
				t.Fatal(err)
			}
			enc := base64.RawURLEncoding.EncodeToString
			return enc([]byte(`{"alg":"none"}`)) + "." + enc(claims) + "."
		}, "format"},
		"no token at all": {func(string) string { return "yes" }, "format"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tenant := newTenant()
			e := show(t, d, tenant, "u1", trace, tt.make(tenant), `{"call_id": "x1", "tool": "debug.guarded", "arguments": {"key": "k"}}`)
			if !slices.Contains([]string{"signature", "not_yet"}, tt.binding) {
				wantRefused(t, d, tenant, e, tt.binding)
			} else if r := refusalOf(t, d, tenant, "x1"); e.ErrorType != "permission_denied" || r.Decision.Rule != "token:"+tt.binding {
				t.Errorf("the call ended as %v by %+v, want token:%s", e, r, tt.binding)
			}
			if lines := ledger(t, shared, tenant, "u1"); len(lines) > 0 {
				t.Errorf("the ledger has %q", lines)
			}
		})
	}
	// The control: what these were made from is good.
	tenant := newTenant()
	wantResult(t, show(t, d, tenant, "u1", trace, sign(ours, tenant, same), `{"tool": "debug.guarded", "arguments": {"key": "k"}}`), `{"written":true}`)
}
