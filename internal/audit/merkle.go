package audit

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
)

// Hash is a SHA-256 digest; in JSON it is hex.
type Hash [sha256.Size]byte

// MarshalText returns the hash in hex.
func (h Hash) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, h[:]), nil }

// UnmarshalText reads what MarshalText wrote.
func (h *Hash) UnmarshalText(text []byte) error {
	if len(text) != hex.EncodedLen(len(h)) {
		return fmt.Errorf("a hash has %d hex digits, not %d", hex.EncodedLen(len(h)), len(text))
	}
	_, err := hex.Decode(h[:], text)
	return err
}

// What is hashed or signed begins with a tag, so that nothing is ever taken for
// something else.
const (
	domain  = "helve.audit.v1"
	tagSize = len(domain) + 1
)

const (
	tagLeaf byte = iota
	tagNode
	tagSeal
	tagPrev
	tagLine
	tagTrailer
	tagNote
	tagCursor
)

func tagged(b []byte, tag byte) []byte { return append(append(b, domain...), tag) }

// leaf is the hash of a record at its place. It fits one block of SHA-256.
func leaf(seq uint64, record Hash) Hash {
	b := tagged(make([]byte, 0, tagSize+8+sha256.Size), tagLeaf)
	b = binary.BigEndian.AppendUint64(b, seq)
	return sha256.Sum256(append(b, record[:]...))
}

// root returns the root of the tree over leaves, zeros for none.
func root(leaves []Hash) Hash {
	if len(leaves) == 0 {
		return Hash{}
	}
	level := append([]Hash(nil), leaves...)
	b := tagged(make([]byte, 0, tagSize+2*sha256.Size), tagNode)
	for len(level) > 1 {
		n := 0
		for i := 0; i+1 < len(level); i += 2 {
			level[n] = sha256.Sum256(append(append(b, level[i][:]...), level[i+1][:]...))
			n++
		}
		if len(level)%2 == 1 {
			level[n] = level[len(level)-1]
			n++
		}
		level = level[:n]
	}
	return level[0]
}

// digest is the hash of a record as it is stored.
func digest(record []byte) Hash { return sha256.Sum256(record) }
