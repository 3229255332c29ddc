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

// Skew is the tolerated difference of two machines' clocks.
const Skew = 30 * time.Second

// Keyring is the public keys known to a worker. The zero value has none and is ready
// for use; all methods are safe for concurrent use.
type Keyring struct {
	mu   sync.RWMutex
	keys map[string]paseto.V4AsymmetricPublicKey
	open map[string]bool // keys that could not be confirmed yet
}

// Put adds a key. It fails if pub is not an Ed25519 public key, or if keyID is not its
// [KeyID].
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
	delete(k.open, keyID)
	return nil
}

// Remove removes a key: its tokens are refused from now on.
func (k *Keyring) Remove(keyID string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.keys, keyID)
	delete(k.open, keyID)
}

// Expect records that a key may be put soon: until then its signatures are
// [Unconfirmed]. Without it they are refused.
func (k *Keyring) Expect(keyID string, soon bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !soon {
		delete(k.open, keyID)
		return
	}
	if k.open == nil {
		k.open = map[string]bool{}
	}
	k.open[keyID] = true
}

// unknown returns the refusal for a signature of a key that is not in the ring.
func (k *Keyring) unknown(keyID, msg string) *Refusal {
	k.mu.RLock()
	defer k.mu.RUnlock()
	if k.open[keyID] {
		return refuse(Unconfirmed, "the key that signed it is not confirmed by a dispatcher yet; try again in a moment")
	}
	return refuse(Key, "%s", msg)
}

func (k *Keyring) get(keyID string) (paseto.V4AsymmetricPublicKey, bool) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	key, ok := k.keys[keyID]
	return key, ok
}

// Public returns a known key.
func (k *Keyring) Public(keyID string) (ed25519.PublicKey, bool) {
	key, ok := k.get(keyID)
	if !ok {
		return nil, false
	}
	return slices.Clone(key.ExportBytes()), true
}

// Verify returns the claims of a token if a known key signed it and the current time is
// within its validity, with a tolerance of [Skew]. Every error is a [*Refusal]. Use
// [Claims.Covers] to check what the token covers.
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
		return Claims{}, k.unknown(footer.KeyID,
			"the confirm token was signed with a key that is not known here, or not any more; ask for a new token")
	}
	signed, err := parser.ParseV4Public(key, token, purpose)
	if err != nil {
		return Claims{}, refuse(Signature,
			"the confirm token was changed or is a forgery: its signature does not hold; send it exactly as it was given")
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
		return Claims{}, refuse(NotYet, "the confirm token was issued in the future; the clocks of dispatcher and worker differ by more than %s",
			Skew)
	case !now.Add(-Skew).Before(c.Expires):
		return Claims{}, refuse(Expired, "the confirm token has expired; ask for a new one")
	}
	return c, nil
}

func malformed() *Refusal {
	return refuse(Format, "the confirm token is not one of this system; send it exactly as it was given, or ask for a new one")
}
