package identity

import (
	"crypto/sha256"
	"encoding/hex"
)

// KeyRef names an API key without its secret, so that a session can outlast the request
// that brought the key.
type KeyRef struct {
	ID string `json:"id"`
	// Print is a fingerprint of the key's hash: an entry with the same ID and another
	// secret is another key.
	Print string `json:"print"`
}

func (h hash) print() string {
	sum := sha256.Sum256(append([]byte("helve key print\x00"), h[:]...))
	return hex.EncodeToString(sum[:16])
}

// Key returns the principal of an API key, and a reference to the key. Its error is a
// [*Failure].
func (a *Authenticator) Key(key string) (KeyRef, Principal, error) {
	if a == nil || a.keys == nil || len(key) > maxCredential {
		return KeyRef{}, Principal{}, errKey()
	}
	p, err := a.keys.identify(key, a.now())
	if err != nil {
		return KeyRef{}, Principal{}, err
	}
	id, secret, _ := splitKey(key)
	return KeyRef{ID: id, Print: hashOf(secret).print()}, p, nil
}

// Referred returns what the principal of a key is now. It refuses a key that was removed,
// replaced or disabled, or has expired. Its error is a [*Failure].
func (a *Authenticator) Referred(ref KeyRef) (Principal, error) {
	if a == nil || a.keys == nil {
		return Principal{}, errKey()
	}
	known, ok := (*a.keys.ring.Load())[ref.ID]
	if !ok || known.hash.print() != ref.Print {
		return Principal{}, errKey()
	}
	return known.valid(a.now())
}
