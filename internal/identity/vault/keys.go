package vault

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tink-crypto/tink-go/v2/aead/subtle"
)

// prefix begins the text of a master key, so that people and scanners recognize one.
const prefix = "helve-secrets-key-"

// maxKeys bounds the keys of one file.
const maxKeys = 32

// refreshEvery is the shortest interval between looks at the file.
const refreshEvery = time.Second

// Keys implements [Wrapper] by the keys of a text: one a line, the first one wraps.
type Keys struct {
	ring   atomic.Pointer[ring]
	path   string // empty if the keys are not in a file
	report func(error)

	mu     sync.Mutex // guards the following fields
	looked time.Time
	seen   string // identifies the version of the file that was accepted or refused last
}

// ring is one version of the keys.
type ring struct {
	current string
	byID    map[string]*subtle.AESGCM
}

// Generate returns the text of a new master key, one line.
func Generate() (string, error) {
	key := make([]byte, keySize)
	if _, err := rand.Read(key); err != nil {
		return "", err
	}
	return prefix + base64.RawURLEncoding.EncodeToString(key), nil
}

// Parse returns the keys of a text. Empty lines and lines that begin with # are left out.
func Parse(text string) (*Keys, error) {
	r, err := parse(text)
	if err != nil {
		return nil, err
	}
	k := &Keys{}
	k.ring.Store(r)
	return k, nil
}

func parse(text string) (*ring, error) {
	r := &ring{byID: map[string]*subtle.AESGCM{}}
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		encoded, known := strings.CutPrefix(line, prefix)
		key, err := base64.RawURLEncoding.Strict().DecodeString(encoded)
		if !known || err != nil || len(key) != keySize {
			return nil, fmt.Errorf("line %d is not a key as `helve config key` prints it", number)
		}
		cipher, err := subtle.NewAESGCM(key)
		if err != nil {
			return nil, fmt.Errorf("line %d: the key cannot be used", number)
		}
		id := idOf(key)
		if r.current == "" {
			r.current = id
		}
		r.byID[id] = cipher
	}
	switch {
	case r.current == "":
		return nil, errors.New("it has no key; `helve config key` prints one")
	case len(r.byID) > maxKeys:
		return nil, fmt.Errorf("it has more than %d keys; remove those that `helve config rotate` made superfluous", maxKeys)
	}
	return r, nil
}

// idOf returns the id of a key, which is not secret.
func idOf(key []byte) string {
	digest := sha256.Sum256(append([]byte("helve secrets key id\x00"), key...))
	return string(hexOf(digest[:6]))
}

func hexOf(data []byte) []byte { return hex.AppendEncode(nil, data) }

// Current implements [Wrapper].
func (k *Keys) Current(context.Context) (string, error) {
	k.refresh()
	return k.ring.Load().current, nil
}

// Wrap implements [Wrapper].
func (k *Keys) Wrap(_ context.Context, key, bound []byte) (Wrapped, error) {
	k.refresh()
	r := k.ring.Load()
	data, err := r.byID[r.current].Encrypt(key, bound)
	return Wrapped{KeyID: r.current, Data: data}, err
}

// Unwrap implements [Wrapper]. An unknown key is looked for in the file, if that changed.
func (k *Keys) Unwrap(_ context.Context, w Wrapped, bound []byte) ([]byte, error) {
	cipher := k.ring.Load().byID[w.KeyID]
	if cipher == nil {
		k.refresh()
		if cipher = k.ring.Load().byID[w.KeyID]; cipher == nil {
			return nil, &MissingKeyError{KeyID: w.KeyID}
		}
	}
	key, err := cipher.Decrypt(w.Data, bound)
	if err != nil {
		return nil, ErrDamaged
	}
	return key, nil
}

// String returns the number of keys.
func (k *Keys) String() string { return fmt.Sprintf("%d master keys", len(k.ring.Load().byID)) }

// GoString returns String, for %#v.
func (k *Keys) GoString() string { return k.String() }

// None is a [Wrapper] without a key.
type None struct{}

// Current implements [Wrapper].
func (None) Current(context.Context) (string, error) { return "", ErrNoKey }

// Wrap implements [Wrapper].
func (None) Wrap(context.Context, []byte, []byte) (Wrapped, error) { return Wrapped{}, ErrNoKey }

// Unwrap implements [Wrapper].
func (None) Unwrap(context.Context, Wrapped, []byte) ([]byte, error) { return nil, ErrNoKey }
