package audit

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"

	"github.com/go-json-experiment/json"
)

// state is all that the next page of an export must know. It is in the cursor and
// signed, because a caller who could choose it could obtain a signature over a false
// end.
type state struct {
	// Next and Part are the next place to read, End is the last message.
	Next uint64 `json:"n"`
	Part int    `json:"p,omitzero"`
	End  uint64 `json:"e"`
	// Seal is the number of the next seal, SealEnd of the last one.
	Seal    uint64 `json:"s"`
	SealEnd uint64 `json:"se"`
	// Held is set if a record was written that the next seal covers.
	Held bool `json:"h,omitzero"`
	// The contents of the trailer.
	Lines     uint64 `json:"l"`
	Records   uint64 `json:"r"`
	SealLines uint64 `json:"sl"`
	LastSeal  uint64 `json:"ls"`
	Chain     Hash   `json:"c"`
}

// cursor encodes the state.
func (p *page) cursor() (string, error) {
	text, err := json.Marshal(p.state)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(append(p.mac(text), text...)), nil
}

// resume decodes a state from cursor, or from an export of version 1. Its error is
// ErrCursor.
func (p *page) resume(cursor string) error {
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(b) < sha256.Size {
		return ErrCursor
	}
	mac, text := b[:sha256.Size], b[sha256.Size:]
	for p.version = exportVersion; p.version > 0; p.version-- {
		if hmac.Equal(mac, p.mac(text)) {
			if err := json.Unmarshal(text, &p.state); err != nil {
				return ErrCursor
			}
			return nil
		}
	}
	return ErrCursor
}

// mac binds a state to its export: a version, a tenant and a filter.
func (p *page) mac(text []byte) []byte {
	tag := tagCursor
	if p.version > 1 {
		tag = tagBlockCursor
	}
	secret := sha256.Sum256(append(tagged(nil, tag), p.Key.Seed()...))
	h := hmac.New(sha256.New, secret[:])
	filter, _ := json.Marshal(p.q.filter(), json.Deterministic(true)) // strings always encode
	h.Write(appendString(nil, p.q.Tenant))
	sum := sha256.Sum256(filter)
	h.Write(sum[:])
	h.Write(text)
	return h.Sum(nil)
}
