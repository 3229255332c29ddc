package oauthtest

import (
	"crypto/ed25519"
	"crypto/rand"
	"maps"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

func newKey(t *testing.T) jose.JSONWebKey {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return jose.JSONWebKey{Key: private, KeyID: "k1", Use: "sig"}
}

// idToken returns the ID token of a sign-in, empty if the provider has none.
func (p *Provider) idToken(nonce string) string {
	if p.Claims == nil {
		return ""
	}
	now := time.Now()
	claims := map[string]any{
		"iss": p.issuer(), "aud": ClientID, "iat": now.Unix(), "exp": now.Add(time.Hour).Unix(), "nonce": nonce,
	}
	maps.Copy(claims, p.Claims)
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.EdDSA, Key: p.key}, nil)
	if err != nil {
		panic(err) // the key fits
	}
	text, err := jwt.Signed(signer).Claims(claims).Serialize()
	if err != nil {
		panic(err) // a test's claims are always encoded
	}
	return text
}
