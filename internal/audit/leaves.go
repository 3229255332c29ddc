package audit

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
)

// leaves are the records that a seal covers: their places, rising, and their
// hashes.
type leaves struct {
	seqs   []uint64
	hashes []Hash
}

func (l *leaves) add(seq uint64, h Hash) {
	l.seqs = append(l.seqs, seq)
	l.hashes = append(l.hashes, h)
}

func (l *leaves) len() int { return len(l.seqs) }

// first returns the first n leaves.
func (l *leaves) first(n int) leaves { return leaves{l.seqs[:n], l.hashes[:n]} }

// dropTo removes the leaves up to and with seq.
func (l *leaves) dropTo(seq uint64) {
	n := 0
	for n < len(l.seqs) && l.seqs[n] <= seq {
		n++
	}
	l.seqs = append(l.seqs[:0], l.seqs[n:]...)
	l.hashes = append(l.hashes[:0], l.hashes[n:]...)
}

// pack writes the leaves as a seal that begins at from holds them.
func (l *leaves) pack(from uint64) []byte {
	b := make([]byte, 0, l.len()*(sha256.Size+2))
	before := from - 1
	for i, seq := range l.seqs {
		b = binary.AppendUvarint(b, seq-before)
		b = append(b, l.hashes[i][:]...)
		before = seq
	}
	return b
}

var errLeaves = errors.New("its leaves cannot be read")

// unpack reads what pack wrote.
func unpack(b []byte, from uint64, count int) (leaves, error) {
	if from == 0 || count <= 0 || count > len(b)/(sha256.Size+1) {
		return leaves{}, errLeaves
	}
	l := leaves{make([]uint64, 0, count), make([]Hash, 0, count)}
	seq := from - 1
	for range count {
		delta, n := binary.Uvarint(b)
		if n <= 0 || delta == 0 || seq+delta < seq || len(b) < n+sha256.Size {
			return leaves{}, errLeaves
		}
		seq += delta
		l.add(seq, Hash(b[n:n+sha256.Size]))
		b = b[n+sha256.Size:]
	}
	if len(b) > 0 {
		return leaves{}, errLeaves
	}
	return l, nil
}
