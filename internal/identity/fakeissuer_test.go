package identity

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// local is an OpenID Connect issuer on this machine, with its own clock.
type local struct {
	*httptest.Server

	t *testing.T

	mu     sync.Mutex
	now    time.Time
	public jose.JSONWebKeySet
	asked  int // how often somebody wanted the keys
	// answer, if not nil, takes the place of the keys.
	answer http.HandlerFunc
	// name, if not empty, is the issuer's own name.
	name string
}

// newLocal starts an issuer without keys. Its clock stands still.
func newLocal(t *testing.T) *local {
	t.Helper()
	l := &local{t: t, now: time.Unix(2_000_000_000, 0)}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		l.mu.Lock()
		defer l.mu.Unlock()
		name := l.URL
		if l.name != "" {
			name = l.name
		}
		_ = json.NewEncoder(w).Encode(map[string]string{"issuer": name, "jwks_uri": l.URL + "/keys"})
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, r *http.Request) {
		l.mu.Lock()
		l.asked++
		answer, set := l.answer, l.public
		l.mu.Unlock()
		if answer != nil {
			answer(w, r)
			return
		}
		_ = json.NewEncoder(w).Encode(set)
	})
	l.Server = httptest.NewServer(mux)
	t.Cleanup(l.Close)
	return l
}

// set changes the issuer while it serves.
func (l *local) set(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
}

func (l *local) clock() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now
}

func (l *local) pass(d time.Duration) { l.set(func() { l.now = l.now.Add(d) }) }

func (l *local) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.asked
}

// publish puts the public halves in place of those that were published.
func (l *local) publish(keys ...jose.JSONWebKey) {
	l.set(func() {
		l.public.Keys = nil
		for _, k := range keys {
			l.public.Keys = append(l.public.Keys, k.Public())
		}
	})
}

// authenticator trusts the issuer.
func (l *local) authenticator(ctx context.Context) *Authenticator {
	l.t.Helper()
	a, err := New(ctx, Options{
		Issuer: l.URL, Audience: "helve", TenantClaim: "tenant", UserClaim: "sub", RolesClaim: "roles",
		HTTP: l.Client(), Now: l.clock,
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return a
}

// claims returns those of a good token, with changes; a nil value removes a claim.
func (l *local) claims(changes map[string]any) map[string]any {
	now := l.clock()
	all := map[string]any{
		"iss": l.URL, "aud": "helve", "sub": "u", "tenant": "t", "roles": []string{"user"},
		"iat": now.Unix(), "exp": now.Add(time.Hour).Unix(),
	}
	for name, value := range changes {
		all[name] = value
		if value == nil {
			delete(all, name)
		}
	}
	return all
}

// token signs a good token with changes.
func (l *local) token(alg jose.SignatureAlgorithm, key any, changes map[string]any, opts *jose.SignerOptions) string {
	l.t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, opts)
	if err != nil {
		l.t.Fatal(err)
	}
	text, err := jwt.Signed(signer).Claims(l.claims(changes)).Serialize()
	if err != nil {
		l.t.Fatal(err)
	}
	return text
}

// newSigningKey makes a private key for an algorithm.
func newSigningKey(t *testing.T, alg jose.SignatureAlgorithm, id string) jose.JSONWebKey {
	t.Helper()
	var private crypto.Signer
	var err error
	switch alg {
	case jose.ES256:
		private, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case jose.ES384:
		private, err = ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	case jose.EdDSA:
		_, private, err = ed25519.GenerateKey(rand.Reader)
	default:
		private, err = rsa.GenerateKey(rand.Reader, 2048)
	}
	if err != nil {
		t.Fatal(err)
	}
	return jose.JSONWebKey{Key: private, KeyID: id, Use: "sig"}
}
