package identity

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"
)

// An issuer with a wrong answer counts as down.
func TestOddIssuers(t *testing.T) {
	key := newSigningKey(t, jose.RS256, "k1")
	text := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }
	}
	public, err := key.Public().MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	good := `{"keys":[` + string(public)
	secret := `{"kty":"oct","kid":"k1","k":"` + strings.Repeat("A", 64) + `"}`
	for what, change := range map[string]func(*local){
		"another name":       func(l *local) { l.name = "https://evil.example" },
		"endless keys":       func(l *local) { l.answer = text(good + "]}" + strings.Repeat(" ", maxAnswer)) },
		"no JSON":            func(l *local) { l.answer = text("<html>") },
		"no keys":            func(l *local) { l.answer = text("{}") },
		"secret keys":        func(l *local) { l.answer = text(`{"keys":[` + secret + `]}`) },
		"too many keys":      func(l *local) { l.answer = text(good + strings.Repeat(",1", maxKeys) + "]}") },
		"keys to encrypt to": func(l *local) { l.public.Keys[0].Use = "enc" },
		"broken keys":        func(l *local) { l.answer = text(`{"keys":[{"kty":"RSA","kid":"k1","n":"AQAB","e":"AQAB"},7]}`) },
	} {
		l := newLocal(t)
		l.publish(key)
		l.set(func() { change(l) })
		a := l.authenticator(t.Context())
		p, err := a.Identify(t.Context(), "Bearer "+l.token(jose.RS256, key, nil, nil))
		wantFailure(t, what, p, err, 503, "try again", "")
	}
}

func TestKeysTheServerDoesNotKnowAreLeftOut(t *testing.T) {
	l := newLocal(t)
	key := newSigningKey(t, jose.EdDSA, "")
	public, err := key.Public().MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	l.set(func() {
		l.answer = func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"keys":[{"kty":"XYZ"},%s]}`, public)
		}
	})
	if err := who(t, l.authenticator(t.Context()), l.token(jose.EdDSA, key, nil, nil)); err != nil {
		t.Errorf("a key without an id beside an unknown one: %v", err)
	}
}

// An attacker on the network path must not be able to redirect the keys.
func TestKeysComeFromTheIssuerItself(t *testing.T) {
	l := newLocal(t)
	key := newSigningKey(t, jose.EdDSA, "k1")
	l.publish(key)
	l.set(func() {
		l.answer = func(w http.ResponseWriter, r *http.Request) {
			if r.URL.RawQuery == "" {
				http.Redirect(w, r, "/keys?elsewhere", http.StatusFound)
				return
			}
			_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{key.Public()}})
		}
	})
	a, err := New(t.Context(), Options{
		Issuer:      l.URL,
		Audience:    "helve",
		TenantClaim: "tenant",
		UserClaim:   "sub",
		RolesClaim:  "roles",
		Now:         l.clock,
	})
	if err != nil {
		t.Fatal(err)
	}
	p, err := a.Identify(t.Context(), "Bearer "+l.token(jose.EdDSA, key, nil, nil))
	wantFailure(t, "a redirect", p, err, 503, "try again", "")

	var safe *httptest.Server
	safe = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"issuer":%q,"jwks_uri":%q}`, safe.URL, l.URL+"/keys")
	}))
	defer safe.Close()
	i := &issuer{url: safe.URL, http: safe.Client()}
	if set, err := i.fetch(t.Context()); err == nil || !strings.Contains(err.Error(), "not at an https:// URL") {
		t.Errorf("keys of an https issuer at an http URL: %v, %v", set, err)
	}
}
