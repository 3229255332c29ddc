package audit

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"github.com/helve-dev/helve/internal/audit/proof"
)

// Hash is a SHA-256 digest; in JSON it is hex.
type Hash [sha256.Size]byte

// MarshalText returns the hash in hex.
func (h Hash) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, h[:]), nil }

// UnmarshalText parses the output of MarshalText.
func (h *Hash) UnmarshalText(text []byte) error {
	if len(text) != hex.EncodedLen(len(h)) {
		return fmt.Errorf("a hash has %d hex digits, not %d", hex.EncodedLen(len(h)), len(text))
	}
	_, err := hex.Decode(h[:], text)
	return err
}

// Hashed or signed data begins with a tag, so that no kind can be mistaken for another.
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
	tagForeign
	tagPartLeaf
	tagPartForeign
	tagBlockSeal
	tagBlockCursor
	tagProven
	tagPartProven
	tagUnproven
	tagPartUnproven
	tagForged
	tagPartForged
)

func tagged(b []byte, tag byte) []byte { return append(append(b, domain...), tag) }

// leaf returns the hash of a record at its place, whose writer nobody has examined.
func leaf(at Place, record Hash) Hash { return placed(tagLeaf, tagPartLeaf, at, record) }

// leafBy is [leaf] for a record about whose writer the sealer has a verdict.
func leafBy(writer proof.Verdict, at Place, record Hash) Hash {
	switch writer {
	case proof.Unexamined:
	case proof.Proven:
		return placed(tagProven, tagPartProven, at, record)
	case proof.Unknown:
		return placed(tagUnproven, tagPartUnproven, at, record)
	case proof.Forged:
		return placed(tagForged, tagPartForged, at, record)
	}
	return leaf(at, record)
}

// sealedAs returns what a seal says about the record at a place. It returns false for a leaf of
// other bytes, or of bytes that are no record.
func sealedAs(sealed Hash, at Place, record Hash) (writer proof.Verdict, ok bool) {
	for _, writer := range [...]proof.Verdict{proof.Proven, proof.Unexamined, proof.Unknown, proof.Forged} {
		if leafBy(writer, at, record) == sealed {
			return writer, true
		}
	}
	return proof.Unexamined, false
}

// foreignLeaf is [leaf] for bytes that are not a record.
func foreignLeaf(at Place, data Hash) Hash { return placed(tagForeign, tagPartForeign, at, data) }

// placed hashes a place and the bytes there. Part 0 is hashed as all records were
// before messages had parts, and fits one block of SHA-256.
func placed(tag, partTag byte, at Place, record Hash) Hash {
	b := make([]byte, 0, tagSize+8+8+sha256.Size)
	if at.Part == 0 {
		b = binary.BigEndian.AppendUint64(tagged(b, tag), at.Seq)
	} else {
		b = binary.BigEndian.AppendUint64(tagged(b, partTag), at.Seq)
		b = binary.BigEndian.AppendUint64(b, uint64(at.Part))
	}
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

// digest returns the hash of a record in its stored form.
func digest(record []byte) Hash { return sha256.Sum256(record) }
