package people

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/identity/keyfile"
	"github.com/helve-dev/helve/internal/identity/token"
	"github.com/helve-dev/helve/internal/jsonx/schema"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// signer signs with a system's own key: its tokens are wrong only in their claims.
func signer(t testing.TB, s *system.System) *token.Signer {
	t.Helper()
	key, err := keyfile.Load(filepath.Join(s.Config.Data, "keys"), "token")
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

// theft is an attempt to use a token that was minted for another call.
type theft struct {
	name    string
	more    string // of the minted token, beside tools
	user    string
	tenant  string // "" is the token's own
	trace   string
	call    string
	binding string
}

// TestStolenToken shows good tokens with other calls. Each such call ends, parks nothing
// and runs nothing, and the token still works for its own call.
func TestStolenToken(t *testing.T) {
	t.Parallel()
	const call = `{"call_id": "x1", "tool": "debug.guarded", "arguments": {"key": "mine"}}`
	hash, err := schema.Hash([]byte(`{"key": "mine"}`))
	if err != nil {
		t.Fatal(err)
	}
	own := system.NewTrace()
	for _, tt := range []theft{
		{name: "another user", user: "u2", trace: own, call: call, binding: "user"},
		{name: "no user", user: "", trace: own, call: call, binding: "user"},
		{name: "another tenant", user: "u1", tenant: "thief", trace: own, call: call, binding: "tenant"},
		{name: "another trace", user: "u1", trace: system.NewTrace(), call: call, binding: "trace_id"},
		{
			name:    "another tool",
			user:    "u1",
			trace:   own,
			call:    `{"call_id": "x1", "tool": "contract_long", "arguments": {"text": "t"}}`,
			binding: "tool",
		},
		{
			name:    "other arguments",
			more:    fmt.Sprintf(`, "args_hash": %q`, hash),
			user:    "u1",
			trace:   own,
			call:    strings.Replace(call, "mine", "yours", 1),
			binding: "arguments",
		},
		{name: "another call", more: `, "call_id": "c1"`, user: "u1", trace: own, call: call, binding: "call"},
	} {
		system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
			tenant := system.NewTenant()
			tok := system.MintToken(t, d, tenant, own, `"tools": ["debug.guarded"]`+tt.more)
			victim := tenant
			if tt.tenant != "" {
				victim = system.NewTenant()
			}
			e := system.ExecuteWithToken(t, d, victim, tt.user, tt.trace, tok, tt.call)
			wantRefused(t, d, victim, e, tt.binding)
			if lines := append(system.UserLedger(t, shared, victim, "u1"), system.UserLedger(t, shared, victim, "u2")...); len(lines) > 0 {
				t.Errorf("%s: the ledger has %q", tt.name, lines)
			}
			good := system.ExecuteWithToken(t, d, tenant, "u1", own, tok, strings.Replace(call, "x1", "c1", 1))
			if good.Status != "success" {
				t.Errorf("%s: the token is no good any more for its own call: %v", tt.name, good)
			}
		})
	}
}

// wantRefused checks a call that a wrong token ended: its message names the binding, it is
// recorded, and no person was asked.
func wantRefused(t testing.TB, d system.Door, tenant string, e system.Element, binding string) {
	t.Helper()
	names := map[string]string{
		"trace_id": "trace",
		"call":     "another call",
		"format":   "not one of this system",
		"key":      "key",
		"expired":  "expired",
		"used":     "used before",
	}
	word := names[binding]
	if word == "" {
		word = binding
	}
	system.WantError(t, e, "permission_denied", word)
	if r := system.RefusalRecord(t, d, tenant, e.CallID); r.Decision.Rule != "token:"+binding || r.Decision.Outcome != "blocked" {
		t.Errorf("a token with a wrong %s: the audit trail has %+v, want it refused by token:%[1]s", binding, r)
	}
	if waiting := system.Consents(t, d, tenant, ""); len(waiting) != 0 {
		t.Errorf("a token with a wrong %s had somebody asked: %+v", binding, waiting)
	}
}

// TestForgedToken modifies tokens, makes new ones with another key, and uses expired ones
// with the right key.
func TestForgedToken(t *testing.T) {
	t.Parallel()
	trace, now, d := system.NewTrace(), time.Now(), shared.HTTP(0)
	ours, theirs := signer(t, shared), otherSigner(t)
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
	// with replaces the body of a token and keeps its footer.
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
			claims, err := json.Marshal(map[string]any{
				"sub": "u1", "tenant": n, "trace_id": trace, "tools": []string{"debug.guarded"}, "exp": now.Add(time.Hour).Unix(),
			})
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
			tenant := system.NewTenant()
			e := system.ExecuteWithToken(t, d, tenant, "u1", trace, tt.make(tenant),
				`{"call_id": "x1", "tool": "debug.guarded", "arguments": {"key": "k"}}`)
			if !slices.Contains([]string{"signature", "not_yet"}, tt.binding) {
				wantRefused(t, d, tenant, e, tt.binding)
			} else if r := system.RefusalRecord(t, d, tenant, "x1"); e.ErrorType != "permission_denied" || r.Decision.Rule != "token:"+tt.binding {
				t.Errorf("the call ended as %v by %+v, want token:%s", e, r, tt.binding)
			}
			if lines := system.UserLedger(t, shared, tenant, "u1"); len(lines) > 0 {
				t.Errorf("the ledger has %q", lines)
			}
		})
	}
	// The control: the originals of these are good.
	tenant := system.NewTenant()
	system.WantResult(t,
		system.ExecuteWithToken(t, d, tenant, "u1", trace, sign(ours, tenant, same), `{"tool": "debug.guarded", "arguments": {"key": "k"}}`),
		`{"written":true}`)
}
