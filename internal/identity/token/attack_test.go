package token

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"aidanwoods.dev/go-paseto"

	"github.com/helve-dev/helve/tool"
)

func TestVerifyTimes(t *testing.T) {
	t.Parallel()
	k, text := ring(t, seeded(0)), mint(t, seeded(0), claims())
	for _, tt := range []struct {
		now     time.Time
		binding string
	}{
		{noon.Add(-Skew - 1), NotYet},
		{noon.Add(-Skew), ""},
		{noon, ""},
		{noon.Add(10 * time.Minute), ""},
		{noon.Add(10*time.Minute + Skew - 1), ""},
		{noon.Add(10*time.Minute + Skew), Expired},
		{noon.Add(1000 * time.Hour), Expired}, // reusable, and still bound to its time
		{time.Time{}, NotYet},
	} {
		_, err := k.Verify(text, tt.now)
		if tt.binding == "" && err != nil {
			t.Errorf("at %s: %v, want it accepted", tt.now, err)
		} else if tt.binding != "" {
			wantRefusal(t, tt.now.String(), err, tt.binding, text)
		}
	}
}

func TestRotation(t *testing.T) {
	t.Parallel()
	before, after := mint(t, seeded(0), claims()), mint(t, seeded(1), claims())
	k := ring(t, seeded(0))
	_, err := k.Verify(after, noon)
	wantRefusal(t, "a key not known yet", err, Key, after)
	if err := k.Put(KeyID(public(seeded(1))), public(seeded(1))); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{before, after} {
		if _, err := k.Verify(text, noon); err != nil {
			t.Errorf("with both keys: %v", err)
		}
	}
	k.Remove(KeyID(public(seeded(0))))
	_, err = k.Verify(before, noon)
	wantRefusal(t, "a removed key", err, Key, before)
	if _, err := k.Verify(after, noon); err != nil {
		t.Errorf("with the new key: %v", err)
	}
	var empty Keyring
	empty.Remove("none")
	_, err = empty.Verify(after, noon)
	wantRefusal(t, "no keys", err, Key, after)
}

// Every single character counts.
func TestVerifyTampered(t *testing.T) {
	t.Parallel()
	k, text := ring(t, seeded(0)), mint(t, seeded(0), claims())
	for i := range text {
		for _, c := range []byte{'A', 'B', '.', text[i] ^ 1, text[i] ^ 0x20} {
			changed := text[:i] + string(c) + text[i+1:]
			if _, err := k.Verify(changed, noon); changed != text && err == nil {
				t.Fatalf("accepted with %q for %q at %d", c, text[i], i)
			}
		}
		if _, err := k.Verify(text[:i], noon); err == nil {
			t.Fatalf("accepted when cut at %d", i)
		}
	}
	for _, more := range []string{text + ".", text + "=", text + "A", " " + text, text + "\n", text + "." + text, strings.ToUpper(text)} {
		if _, err := k.Verify(more, noon); err == nil {
			t.Errorf("accepted as %q", more)
		}
	}
	// A body with more claims, under the signature of the original body.
	parts := strings.Split(text, ".")
	raw, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil {
		t.Fatal(err)
	}
	widened := strings.Replace(string(raw), `"notes"`, `"other"`, 1)
	parts[2] = base64.RawURLEncoding.EncodeToString([]byte(widened))
	_, err = k.Verify(strings.Join(parts, "."), noon)
	wantRefusal(t, "a wider path under an old signature", err, Signature)
}

func footerOf(key ed25519.PrivateKey) []byte {
	return []byte(`{"kid":"` + KeyID(public(key)) + `"}`)
}

// signed is a token made past the signer.
func signed(t testing.TB, key ed25519.PrivateKey, body string, footer, implicit []byte) string {
	t.Helper()
	secret, err := paseto.NewV4AsymmetricSecretKeyFromEd25519(key)
	if err != nil {
		t.Fatal(err)
	}
	made, err := paseto.NewTokenFromClaimsJSON([]byte(body), footer)
	if err != nil {
		t.Fatal(err)
	}
	return made.V4Sign(secret, implicit)
}

func body(t testing.TB, c Claims) string {
	t.Helper()
	text, err := json.Marshal(toWire(c))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestVerifyForgeries(t *testing.T) {
	t.Parallel()
	ours, theirs := seeded(0), seeded(1)
	k, good := ring(t, ours), body(t, claims())
	if _, err := k.Verify(signed(t, ours, good, footerOf(ours), purpose), noon); err != nil {
		t.Fatalf("the forger's tools are blunt: %v", err)
	}
	spoilt := func(spoil func(*Claims)) string {
		c := claims()
		spoil(&c)
		return signed(t, ours, body(t, c), footerOf(ours), purpose)
	}
	for what, tt := range map[string]struct{ text, binding string }{
		"empty":                 {"", Format},
		"another key":           {mint(t, theirs, claims()), Key},
		"another key, our id":   {signed(t, theirs, good, footerOf(ours), purpose), Signature},
		"for another purpose":   {signed(t, ours, good, footerOf(ours), []byte("helve session v1")), Signature},
		"for a later version":   {signed(t, ours, good, footerOf(ours), []byte("helve confirm v2")), Signature},
		"for no purpose":        {signed(t, ours, good, footerOf(ours), nil), Signature},
		"no footer":             {signed(t, ours, good, nil, purpose), Format},
		"a footer of text":      {signed(t, ours, good, []byte(KeyID(public(ours))), purpose), Format},
		"a footer with more":    {signed(t, ours, good, []byte(`{"kid":"x","alg":"none"}`), purpose), Format},
		"a footer of two":       {signed(t, ours, good, append(footerOf(ours), "{}"...), purpose), Format},
		"a key id that is none": {signed(t, ours, good, []byte(`{"kid":""}`), purpose), Key},
		"an unknown claim":      {signed(t, ours, `{"only_on":"sunday",`+good[1:], footerOf(ours), purpose), Format},
		"a claim of wrong type": {
			signed(t, ours, strings.Replace(good, `"reusable":true`, `"reusable":"yes"`, 1), footerOf(ours), purpose), Format,
		},
		"no claims":             {signed(t, ours, `{}`, footerOf(ours), purpose), Format},
		"no expiry":             {spoilt(func(c *Claims) { c.Expires = time.Time{} }), Format},
		"a wildcard":            {spoilt(func(c *Claims) { c.Tools = []string{"*"} }), Format},
		"a path that leads out": {spoilt(func(c *Claims) { c.Scopes = &tool.Scopes{Paths: []string{".."}} }), Format},
		"no user":               {spoilt(func(c *Claims) { c.User = "" }), Format},
		"too long":              {mint(t, ours, claims()) + strings.Repeat("A", MaxLength), Format},
	} {
		_, err := k.Verify(tt.text, noon)
		wantRefusal(t, what, err, tt.binding, tt.text)
	}
}

// The key of a token decides its algorithm, never the token.
func TestVerifySwappedAlgorithms(t *testing.T) {
	t.Parallel()
	ours := seeded(0)
	k := ring(t, ours)
	made, err := paseto.NewTokenFromClaimsJSON([]byte(body(t, claims())), footerOf(ours))
	if err != nil {
		t.Fatal(err)
	}
	v2, err := paseto.NewV2AsymmetricSecretKeyFromEd25519(ours)
	if err != nil {
		t.Fatal(err)
	}
	// The public key, which everybody knows, as the secret of the symmetric kind.
	shared, err := paseto.V4SymmetricKeyFromBytes(public(ours))
	if err != nil {
		t.Fatal(err)
	}
	v4 := made.V4Sign(mustSecret(t, ours), purpose)
	b64 := base64.RawURLEncoding.EncodeToString
	none := b64([]byte(`{"alg":"none"}`)) + "." + b64([]byte(body(t, claims()))) + "."
	eddsa := b64([]byte(`{"alg":"EdDSA","kid":"`+KeyID(public(ours))+`"}`)) + "." + b64([]byte(body(t, claims())))
	for what, text := range map[string]string{
		"v4.local":            made.V4Encrypt(shared, purpose),
		"v2.public":           made.V2Sign(v2),
		"v3.public in name":   strings.Replace(v4, "v4.", "v3.", 1),
		"v4.local in name":    strings.Replace(v4, "public", "local", 1),
		"v4.none":             strings.Replace(v4, "public", "none", 1),
		"a JWT of none":       none,
		"a JWT of our key":    eddsa + "." + b64(ed25519.Sign(ours, []byte(eddsa))),
		"v4.public of a v2":   strings.Replace(made.V2Sign(v2), "v2.", "v4.", 1),
		"no signature":        "v4.public." + b64([]byte(body(t, claims()))) + "." + b64(footerOf(ours)),
		"a signature of zero": "v4.public." + b64(append([]byte(body(t, claims())), make([]byte, 64)...)) + "." + b64(footerOf(ours)),
	} {
		want := Format
		if strings.HasPrefix(text, "v4.public.") {
			want = Signature
		}
		_, err := k.Verify(text, noon)
		wantRefusal(t, what, err, want, text)
	}
}

func mustSecret(t testing.TB, key ed25519.PrivateKey) paseto.V4AsymmetricSecretKey {
	t.Helper()
	secret, err := paseto.NewV4AsymmetricSecretKeyFromEd25519(key)
	if err != nil {
		t.Fatal(err)
	}
	return secret
}
