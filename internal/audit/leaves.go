package audit

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
)

// leaves holds the records that a seal covers: their places, ascending, and their
// hashes. It contains all records of a message, or none.
type leaves struct {
	places []Place
	hashes []Hash
}

func (l *leaves) add(at Place, h Hash) {
	l.places = append(l.places, at)
	l.hashes = append(l.hashes, h)
}

func (l *leaves) len() int { return len(l.places) }

// message returns the index after the leaves of the message whose first leaf is at i.
func (l *leaves) message(i int) int {
	end := i + 1
	for end < l.len() && l.places[end].Seq == l.places[i].Seq {
		end++
	}
	return end
}

// version returns the version of the seal for the leaves: [sealBlocks] if a message has
// more than one, otherwise 0, as in all seals before blocks existed.
func (l *leaves) version() int {
	for _, at := range l.places {
		if at.Part > 0 {
			return sealBlocks
		}
	}
	return 0
}

// dropTo removes the leaves up to and including seq.
func (l *leaves) dropTo(seq uint64) {
	n := 0
	for n < len(l.places) && l.places[n].Seq <= seq {
		n++
	}
	l.places = append(l.places[:0], l.places[n:]...)
	l.hashes = append(l.hashes[:0], l.hashes[n:]...)
}

// pack encodes the leaves as in a seal of their version that begins at from.
func (l *leaves) pack(from uint64) []byte {
	b := make([]byte, 0, l.len()*(sha256.Size+2))
	blocks := l.version() == sealBlocks
	before := from - 1
	for i := 0; i < l.len(); {
		end, seq := l.message(i), l.places[i].Seq
		b = binary.AppendUvarint(b, seq-before)
		if blocks {
			b = binary.AppendUvarint(b, uint64(end-i))
		}
		for ; i < end; i++ {
			b = append(b, l.hashes[i][:]...)
		}
		before = seq
	}
	return b
}

var errLeaves = errors.New("its leaves cannot be read")

// unpack decodes the output of pack.
func unpack(b []byte, version int, from uint64, count int) (leaves, error) {
	if from == 0 || count <= 0 || count > len(b)/sha256.Size {
		return leaves{}, errLeaves
	}
	l := leaves{make([]Place, 0, count), make([]Hash, 0, count)}
	for seq := from - 1; l.len() < count; {
		delta, n := binary.Uvarint(b)
		if n <= 0 || delta == 0 || seq+delta < seq {
			return leaves{}, errLeaves
		}
		seq, b = seq+delta, b[n:]
		parts := uint64(1)
		if version == sealBlocks {
			if parts, n = binary.Uvarint(b); n <= 0 || parts == 0 || parts > MaxParts {
				return leaves{}, errLeaves
			}
			b = b[n:]
		}
		if uint64(count-l.len()) < parts || uint64(len(b)) < parts*sha256.Size {
			return leaves{}, errLeaves
		}
		for part := range int(parts) {
			l.add(Place{seq, part}, Hash(b[:sha256.Size]))
			b = b[sha256.Size:]
		}
	}
	if len(b) > 0 {
		return leaves{}, errLeaves
	}
	return l, nil
}
