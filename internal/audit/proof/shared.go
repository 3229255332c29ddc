package proof

import (
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"hash"
	"sync"
)

const (
	// macBytes is the length to which an HMAC is cut, macLetters its length as text.
	macBytes, macLetters = 16, 22
	// tagLetters is the length of the id of a dispatcher's key before an HMAC.
	tagLetters = 6
)

// shared is a secret that a writer and a dispatcher have in common.
type shared struct {
	id     string // under which the dispatcher's key is made known
	tag    string // of the dispatcher's key
	public []byte // of the dispatcher
	states sync.Pool
}

// share returns the secret that this process shares with another one. Writes is set if this one is
// the writer, otherwise it is the dispatcher.
func share(own *ecdh.PrivateKey, other *ecdh.PublicKey, writes bool) (*shared, error) {
	secret, err := own.ECDH(other)
	if err != nil {
		return nil, err
	}
	writer, dispatcher := own.PublicKey().Bytes(), other.Bytes()
	if !writes {
		writer, dispatcher = dispatcher, writer
	}
	key, err := hkdf.Key(sha256.New, secret, nil, macLabel+string(writer)+string(dispatcher), sha256.Size)
	if err != nil {
		return nil, err
	}
	m := &shared{tag: tagOf(dispatcher), public: dispatcher}
	m.states.New = func() any { return hmac.New(sha256.New, key) }
	return m, nil
}

func tagOf(public []byte) string {
	sum := sha256.Sum256(public)
	return letters.EncodeToString(sum[:])[:tagLetters]
}

// append appends the tag and the HMAC of a record to b.
func (m *shared) append(b, record []byte) []byte {
	h, ok := m.states.Get().(hash.Hash)
	if !ok { // New returns nothing else
		return b
	}
	h.Reset()
	_, _ = h.Write(record)
	var sum [sha256.Size]byte
	mac := h.Sum(sum[:0])[:macBytes]
	m.states.Put(h)
	return letters.AppendEncode(append(b, m.tag...), mac)
}
