package token

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"aidanwoods.dev/go-paseto"
)

// MaxLength bounds a token in bytes.
const MaxLength = 4 << 10

// purpose is part of each token's signature and not of the token: other signatures of
// the same key, or of a later form of token, are not confirm tokens.
var purpose = []byte("helve confirm v1")

// Signer mints tokens. It holds the private key, so it belongs in dispatchers
// only. It is safe for concurrent use.
type Signer struct {
	key    paseto.V4AsymmetricSecretKey
	keyID  string
	footer []byte
}

// NewSigner returns a signer. It panics, as package ed25519 does, if key is not
// an Ed25519 private key.
func NewSigner(key ed25519.PrivateKey) *Signer {
	secret, err := paseto.NewV4AsymmetricSecretKeyFromEd25519(key)
	if err != nil {
		panic("token: not an Ed25519 private key")
	}
	id := KeyID(secret.Public().ExportBytes())
	return &Signer{key: secret, keyID: id, footer: fmt.Appendf(nil, `{"kid":%q}`, id)}
}

// KeyID returns the ID of the signer's public key; see the function [KeyID].
func (s *Signer) KeyID() string { return s.keyID }

// KeyID returns the stable name of a public key: 32 hex digits of its SHA-256.
func KeyID(pub ed25519.PublicKey) string {
	sum := sha256.Sum256(pub)
	return hex.EncodeToString(sum[:16])
}

// Mint signs c and returns the token. c.KeyID is ignored; the footer has the signer's
// own. The error reports everything that is wrong with claims that could never be used:
// a missing ID, tenant, user, trace, tool or time, an expiry not after the issue,
// invalid names and scopes, or so many of them that the token would be longer than
// [MaxLength].
func (s *Signer) Mint(c Claims) (string, error) {
	if err := c.check(); err != nil {
		return "", err
	}
	body, err := json.Marshal(toWire(c))
	if err != nil {
		return "", fmt.Errorf("confirm token: %w", err)
	}
	t, err := paseto.NewTokenFromClaimsJSON(body, s.footer)
	if err != nil {
		return "", fmt.Errorf("confirm token: %w", err)
	}
	signed := t.V4Sign(s.key, purpose)
	if len(signed) > MaxLength {
		return "", fmt.Errorf("the token would have %d bytes and may have %d; name fewer tools or shorter scopes", len(signed), MaxLength)
	}
	return signed, nil
}
