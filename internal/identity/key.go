package identity

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"encoding/hex"
	"regexp"
	"strings"
)

// keyMark begins every API key, so that people and secret scanners recognize one.
const keyMark = "hk_"

const (
	idLength   = 12
	secretSize = 32 // bytes: 256 bits
)

var (
	letters = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)
	keyForm = regexp.MustCompile(`hk_([a-z2-7]{12})_([a-z2-7]{52})`)
)

// NewKey makes an API key, hk_ID_SECRET, and the ID and hash of its [Entry]. The key is
// stored nowhere else, so it must be shown now.
//
// The hash is one round of SHA-256. A slow hash makes guessing expensive, but 256
// random bits cannot be guessed; it would only make every request expensive.
func NewKey() (key, id, hash string) {
	secret := make([]byte, secretSize)
	_, _ = rand.Read(secret) // cannot fail: the process would end first
	id, text := strings.ToLower(rand.Text()[:idLength]), letters.EncodeToString(secret)
	sum := hashOf(text)
	return keyMark + id + "_" + text, id, hashMark + hex.EncodeToString(sum[:])
}

type hash [sha256.Size]byte

const hashMark = "sha256:"

func hashOf(secret string) hash { return sha256.Sum256([]byte(secret)) }

// parseHash parses the text form of a hash.
func parseHash(text string) (h hash, ok bool) {
	digits, marked := strings.CutPrefix(text, hashMark)
	n, err := hex.Decode(h[:], []byte(digits[:min(len(digits), 2*len(h))]))
	return h, marked && err == nil && n == len(h) && len(digits) == 2*len(h)
}

func (h hash) equal(other hash) bool { return subtle.ConstantTimeCompare(h[:], other[:]) == 1 }

// splitKey splits an API key into its parts.
func splitKey(key string) (id, secret string, ok bool) {
	m := keyForm.FindStringSubmatch(key)
	if m == nil || m[0] != key {
		return "", "", false
	}
	return m[1], m[2], true
}
