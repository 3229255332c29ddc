package token

import (
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"slices"

	"aidanwoods.dev/go-paseto"
)

// maxNote bounds a note in bytes.
const maxNote = 16 << 10

// Note signs any JSON object under its own purpose: it is neither a confirm token nor a
// note of another purpose. Its reader must check its contents and its validity.
func (s *Signer) Note(purpose string, body []byte) (string, error) {
	t, err := paseto.NewTokenFromClaimsJSON(body, s.footer)
	if err != nil {
		return "", fmt.Errorf("note: %w", err)
	}
	return t.V4Sign(s.key, []byte(purpose)), nil
}

// Public returns the key that verifies the signer's signatures.
func (s *Signer) Public() ed25519.PublicKey { return slices.Clone(s.key.Public().ExportBytes()) }

// OpenNote returns the body of a note that a known key signed under purpose. Every
// error is a [*Refusal].
func (k *Keyring) OpenNote(purpose, text string) ([]byte, error) {
	if text == "" || len(text) > maxNote {
		return nil, malformed()
	}
	parser := paseto.NewParserWithoutExpiryCheck() // a note has no expiry of its own
	foot, err := parser.UnsafeParseFooter(paseto.V4Public, text)
	if err != nil {
		return nil, malformed()
	}
	var footer struct {
		KeyID string `json:"kid"`
	}
	if err := json.Unmarshal(foot, &footer); err != nil {
		return nil, malformed()
	}
	key, ok := k.get(footer.KeyID)
	if !ok {
		return nil, k.unknown(footer.KeyID, "it was signed with a key that is not known here, or not any more")
	}
	signed, err := parser.ParseV4Public(key, text, []byte(purpose))
	if err != nil {
		return nil, refuse(Signature, "it was changed or is a forgery: its signature does not hold")
	}
	return signed.ClaimsJSON(), nil
}

// Notes signs and reads the notes of one purpose.
type Notes struct {
	Signer  *Signer
	Ring    *Keyring
	Purpose string
}

// Seal signs body.
func (n Notes) Seal(body []byte) (string, error) { return n.Signer.Note(n.Purpose, body) }

// Open returns the body of a note of the purpose.
func (n Notes) Open(text string) ([]byte, error) { return n.Ring.OpenNote(n.Purpose, text) }
