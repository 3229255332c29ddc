package vault

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"maps"

	"github.com/tink-crypto/tink-go/v2/aead/subtle"
)

// keySize is the size of master keys and data keys, in bytes: 256 bits.
const keySize = 32

// Place identifies an entry. An entry of the tenant has no user.
type Place struct{ Tenant, User, Service, Label string }

// Sealed holds the encrypted values of an entry.
type Sealed struct {
	Key Wrapped `json:"key"`
	// Values are the ciphertexts by field. There is always one for the field "", which
	// proves the values in the clear.
	Values map[string][]byte `json:"values"`
}

// bound returns the associated data of a value. Its parts are told apart by JSON.
func (p Place) bound(purpose string, more ...string) []byte {
	text, err := json.Marshal(append([]string{"helve/services/1", purpose, p.Tenant, p.User, p.Service, p.Label}, more...))
	if err != nil {
		panic(err) // strings are always encoded
	}
	return text
}

// valueBound returns the associated data of the value of a field in an entry that holds
// public.
func (p Place) valueBound(field string, public []byte) []byte {
	digest := sha256.Sum256(public)
	return p.bound("value", field, string(hexOf(digest[:])))
}

// Seal encrypts the secrets of an entry, which also holds the public bytes.
func Seal(ctx context.Context, w Wrapper, at Place, public []byte, secrets map[string]string) (s Sealed, err error) {
	key := make([]byte, keySize)
	if _, err := rand.Read(key); err != nil {
		return s, err
	}
	if s.Key, err = w.Wrap(ctx, key, at.bound("key")); err != nil {
		return s, err
	}
	cipher, err := subtle.NewAESGCM(key)
	if err != nil {
		return s, err
	}
	all := maps.Clone(secrets)
	if all == nil {
		all = map[string]string{}
	}
	all[""] = ""
	s.Values = make(map[string][]byte, len(all))
	for field, value := range all {
		if s.Values[field], err = cipher.Encrypt([]byte(value), at.valueBound(field, public)); err != nil {
			return s, err
		}
	}
	return s, nil
}

// Unseal decrypts the secrets of an entry. The error is [ErrDamaged] if the entry is not
// what [Seal] made for this place and these bytes.
func Unseal(ctx context.Context, w Wrapper, at Place, public []byte, s Sealed) (map[string]string, error) {
	key, err := w.Unwrap(ctx, s.Key, at.bound("key"))
	if err != nil {
		return nil, err
	}
	cipher, err := subtle.NewAESGCM(key)
	if err != nil {
		return nil, ErrDamaged
	}
	if _, proved := s.Values[""]; !proved {
		return nil, ErrDamaged
	}
	secrets := make(map[string]string, len(s.Values)-1)
	for field, value := range s.Values {
		plain, err := cipher.Decrypt(value, at.valueBound(field, public))
		if err != nil {
			return nil, ErrDamaged
		}
		if field != "" {
			secrets[field] = string(plain)
		}
	}
	return secrets, nil
}

// Rewrap protects the data key of an entry with the current master key. It reports whether
// that was another one before.
func Rewrap(ctx context.Context, w Wrapper, at Place, s Sealed) (Sealed, bool, error) {
	current, err := w.Current(ctx)
	if err != nil || s.Key.KeyID == current {
		return s, false, err
	}
	key, err := w.Unwrap(ctx, s.Key, at.bound("key"))
	if err != nil {
		return s, false, err
	}
	s.Key, err = w.Wrap(ctx, key, at.bound("key"))
	return s, err == nil, err
}
