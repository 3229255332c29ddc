package token

import (
	"crypto/ed25519"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC)

const (
	trace  = "0123456789abcdef0123456789abcdef"
	digest = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
)

// seeded returns a key that is the same in every run.
func seeded(seed byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed([]byte(strings.Repeat(string(rune('a'+seed)), ed25519.SeedSize)))
}

func public(key ed25519.PrivateKey) ed25519.PublicKey { return key.Public().(ed25519.PublicKey) }

// ring knows the keys.
func ring(t testing.TB, keys ...ed25519.PrivateKey) *Keyring {
	t.Helper()
	var k Keyring
	for _, key := range keys {
		if err := k.Put(KeyID(public(key)), public(key)); err != nil {
			t.Fatal(err)
		}
	}
	return &k
}

func claims() Claims {
	return Claims{
		ID: "t-1", Tenant: "acme", User: "ann", TraceID: trace, Tools: []string{"delete_file", "files.move"},
		Scopes:   &tool.Scopes{Paths: []string{"notes"}, Hosts: []string{"*.example.com"}, Apps: []string{}},
		ArgsHash: digest, CallID: "c-1", Permissions: []string{"files.delete"}, Reusable: true,
		IssuedAt: noon, Expires: noon.Add(10 * time.Minute), By: "ann",
	}
}

func mint(t testing.TB, key ed25519.PrivateKey, c Claims) string {
	t.Helper()
	text, err := NewSigner(key).Mint(c)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// wantRefusal also holds the message to showing neither the token nor what is
// in it.
func wantRefusal(t *testing.T, what string, err error, binding string, secrets ...string) {
	t.Helper()
	refusal, ok := errors.AsType[*Refusal](err)
	if !ok || refusal.Binding != binding {
		t.Errorf("%s: %v, want a refusal of %q", what, err, binding)
		return
	}
	for _, secret := range append(secrets, "acme", "ann", trace, digest, "files.move", "notes", "c-1", "t-1") {
		if secret != "" && strings.Contains(refusal.Msg, secret) {
			t.Errorf("%s: message %q shows %q", what, refusal.Msg, secret)
		}
	}
}

func TestMintAndVerify(t *testing.T) {
	t.Parallel()
	key := seeded(0)
	full, least := claims(), claims()
	least.Scopes, least.ArgsHash, least.CallID, least.Permissions, least.Reusable, least.By = nil, "", "", nil, false, ""
	for _, want := range []Claims{full, least} {
		text := mint(t, key, want)
		if !strings.HasPrefix(text, "v4.public.") {
			t.Errorf("token %q is not a v4.public", text)
		}
		got, err := ring(t, seeded(1), key).Verify(text, noon.Add(time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		want.KeyID = KeyID(public(key))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("claims (-minted +verified):\n%s", diff)
		}
	}
}

func TestMintRefuses(t *testing.T) {
	t.Parallel()
	signer := NewSigner(seeded(0))
	for want, spoil := range map[string]func(*Claims){
		"token id":               func(c *Claims) { c.ID = "" },
		"tenant":                 func(c *Claims) { c.Tenant = "" },
		"tenant must match":      func(c *Claims) { c.Tenant = "a b" },
		"user":                   func(c *Claims) { c.User = "" },
		"user must match":        func(c *Claims) { c.User = strings.Repeat("u", 65) },
		"trace_id":               func(c *Claims) { c.TraceID = "" },
		"trace_id must be":       func(c *Claims) { c.TraceID = strings.ToUpper(trace) },
		"at least one tool":      func(c *Claims) { c.Tools = nil },
		`"*" is not the name`:    func(c *Claims) { c.Tools = []string{"a", "*"} },
		`"a.*" is not the name`:  func(c *Claims) { c.Tools = []string{"a.*"} },
		`"" is not the name`:     func(c *Claims) { c.Tools = []string{""} },
		"args_hash":              func(c *Claims) { c.ArgsHash = "0123" },
		"call_id":                func(c *Claims) { c.CallID = "a/b" },
		"when it was issued":     func(c *Claims) { c.IssuedAt = time.Time{} },
		"expire after":           func(c *Claims) { c.Expires = time.Time{} },
		"expire after it":        func(c *Claims) { c.Expires = c.IssuedAt },
		"expire after it is":     func(c *Claims) { c.Expires = c.IssuedAt.Add(-time.Second) },
		`path scope "../a"`:      func(c *Claims) { c.Scopes = &tool.Scopes{Paths: []string{"../a"}} },
		`host scope "http://a"`:  func(c *Claims) { c.Scopes = &tool.Scopes{Hosts: []string{"http://a"}} },
		"name fewer tools":       func(c *Claims) { c.Permissions = []string{strings.Repeat("p", MaxLength)} },
		"confirm token: json: ":  func(c *Claims) { c.Expires = time.Date(12000, 1, 1, 0, 0, 0, 0, time.UTC) },
		"the trace_id must be 3": func(c *Claims) { c.User, c.TraceID = "", "" }, // it says all that is wrong
	} {
		c := claims()
		spoil(&c)
		if text, err := signer.Mint(c); err == nil || !strings.Contains(err.Error(), want) || text != "" {
			t.Errorf("Mint = %q, %v, want an error with %q", text, err, want)
		}
	}
}

func TestSignerNeedsAKey(t *testing.T) {
	t.Parallel()
	half := seeded(0)[:ed25519.SeedSize]
	mixed := append(append(ed25519.PrivateKey{}, seeded(0)[:32]...), public(seeded(1))...)
	for _, key := range []ed25519.PrivateKey{nil, half, mixed} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("NewSigner took a key of %d bytes", len(key))
				}
			}()
			NewSigner(key)
		}()
	}
}

func TestKeyIDs(t *testing.T) {
	t.Parallel()
	a, b := public(seeded(0)), public(seeded(1))
	if KeyID(a) == KeyID(b) || len(KeyID(a)) != 32 || NewSigner(seeded(0)).KeyID() != KeyID(a) {
		t.Errorf("key ids %s and %s, want 32 digits that differ by key and are the signer's", KeyID(a), KeyID(b))
	}
	// Tokens outlive processes, so the id of a key may never change.
	if got := KeyID(make(ed25519.PublicKey, 32)); got != "66687aadf862bd776c8fc18b8e9f8e20" {
		t.Errorf("KeyID of the zero key = %s", got)
	}
	var k Keyring
	for _, err := range []error{k.Put(KeyID(b), a), k.Put("", a), k.Put(KeyID(a[:31]), a[:31]), k.Put(KeyID(nil), nil)} {
		if err == nil {
			t.Error("Put took a key that is not what its id says")
		}
	}
}
