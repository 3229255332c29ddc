package token

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"aidanwoods.dev/go-paseto"
)

// Skew is how far the clocks of two machines may be apart.
const Skew = 30 * time.Second

// Keyring is the public keys a worker knows. The zero value knows none and is
// ready for use; all methods are safe for concurrent use.
type Keyring struct {
	mu   sync.RWMutex
	keys map[string]paseto.V4AsymmetricPublicKey
}

// Put adds a key. The error says that pub is not an Ed25519 public key, or that
// keyID is not its [KeyID].
func (k *Keyring) Put(keyID string, pub ed25519.PublicKey) error {
	key, err := paseto.NewV4AsymmetricPublicKeyFromEd25519(slices.Clone(pub))
	if err != nil {
		return errors.New("not an Ed25519 public key: it must have 32 bytes")
	}
	if keyID != KeyID(pub) {
		return fmt.Errorf("key id %q is not that of the key, which is %s", keyID, KeyID(pub))
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.keys == nil {
		k.keys = map[string]paseto.V4AsymmetricPublicKey{}
	}
	k.keys[keyID] = key
	return nil
}

// Remove forgets a key: its tokens are refused from now on.
func (k *Keyring) Remove(keyID string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.keys, keyID)
}

func (k *Keyring) get(keyID string) (paseto.V4AsymmetricPublicKey, bool) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	key, ok := k.keys[keyID]
	return key, ok
}

// Verify returns what a token says if a known key signed it and now is within
// its time, give or take [Skew]. Every error is a [*Refusal]. What the token
// covers is for [Claims.Covers] to say.
func (k *Keyring) Verify(token string, now time.Time) (Claims, error) {
	if token == "" || len(token) > MaxLength {
		return Claims{}, malformed()
	}
	parser := paseto.NewParserWithoutExpiryCheck() // the times are checked below, with the caller's clock
	text, err := parser.UnsafeParseFooter(paseto.V4Public, token)
	if err != nil {
		return Claims{}, malformed()
	}
	var footer struct {
		KeyID string `json:"kid"`
	}
	if err := decode(text, &footer); err != nil {
		return Claims{}, malformed()
	}
	key, ok := k.get(footer.KeyID)
	if !ok {
		return Claims{}, refuse(Key, "the confirm token was signed with a key that is not known here, or not any more; ask for a new token")
	}
	signed, err := parser.ParseV4Public(key, token, purpose)
	if err != nil {
		return Claims{}, refuse(Signature, "the confirm token was changed or is a forgery: its signature does not hold; send it exactly as it was given")
	}
	var w wire
	if err := decode(signed.ClaimsJSON(), &w); err != nil {
		return Claims{}, malformed()
	}
	c := w.claims(footer.KeyID)
	switch {
	case c.check() != nil:
		return Claims{}, malformed()
	case now.Add(Skew).Before(c.IssuedAt):
		return Claims{}, refuse(NotYet, "the confirm token was issued in the future; the clocks of dispatcher and worker differ by more than %s", Skew)
	case !now.Add(-Skew).Before(c.Expires):
		return Claims{}, refuse(Expired, "the confirm token has expired; ask for a new one")
	}
	return c, nil
}

func malformed() *Refusal {
	return refuse(Format, "the confirm token is not one of this system; send it exactly as it was given, or ask for a new one")
}
