package audit

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"

	"github.com/go-json-experiment/json"
)

// state is all that the next page of an export must know. It travels in the
// cursor, signed: who could choose it could have a false end signed.
type state struct {
	// Next is the next place to look at, End the last.
	Next uint64 `json:"n"`
	End  uint64 `json:"e"`
	// Seal is the number of the next seal, SealEnd of the last.
	Seal    uint64 `json:"s"`
	SealEnd uint64 `json:"se"`
	// Held says that a record was put that the next seal covers.
	Held bool `json:"h,omitzero"`
	// What the trailer will say.
	Lines     uint64 `json:"l"`
	Records   uint64 `json:"r"`
	SealLines uint64 `json:"sl"`
	LastSeal  uint64 `json:"ls"`
	Chain     Hash   `json:"c"`
}

// cursor writes the state down.
func (p *page) cursor() (string, error) {
	text, err := json.Marshal(p.state)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(append(p.mac(text), text...)), nil
}

// resume reads the state that cursor has written. Its error is ErrCursor.
func (p *page) resume(cursor string) error {
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(b) < sha256.Size || !hmac.Equal(b[:sha256.Size], p.mac(b[sha256.Size:])) {
		return ErrCursor
	}
	if err := json.Unmarshal(b[sha256.Size:], &p.state); err != nil {
		return ErrCursor
	}
	return nil
}

// mac binds a state to the export it belongs to: a tenant and a filter.
func (p *page) mac(text []byte) []byte {
	secret := sha256.Sum256(append(tagged(nil, tagCursor), p.Key.Seed()...))
	h := hmac.New(sha256.New, secret[:])
	filter, _ := json.Marshal(p.q.filter(), json.Deterministic(true)) // strings always encode
	h.Write(appendString(nil, p.q.Tenant))
	sum := sha256.Sum256(filter)
	h.Write(sum[:])
	h.Write(text)
	return h.Sum(nil)
}
