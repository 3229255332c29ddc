package index

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// Sizes of a page of keys, in bytes and in pairs. Smaller pages make more rows, larger
// ones make lookups read more.
const (
	pageBytes = 4000
	pagePairs = 4096
)

// keyPage is a page of the sorted pairs of a segment. It holds the hash of its first
// pair, the place that its places count from, and for each hash
//
//	the hash less the hash before, the length of what follows in bytes, and entries
//
// as unsigned varints. An entry is the place of a message less the one before it, times
// four, and a kind:
//
//	0  part 0 of the message
//	1  and part 0 of the n messages that follow; n comes next
//	2  part p of the message; p comes next
//	3  parts p to p+n of the message; p and n come next
//
// Its last four bytes are the CRC of the others.
type keyPage struct {
	hash int64
	at   place
	data []byte
}

// pageWriter builds pages of pairs, which arrive in order.
type pageWriter struct {
	base place // of the segment
	emit func(keyPage) error

	page  keyPage
	pairs int
	last  pair // the last added pair, if pairs > 0
	// entries holds those of the hash of last, without the run from start to last.
	entries []byte
	before  uint64 // the message before start
	start   place
	hash    int64 // the hash before that of last
}

// add appends a pair. It ignores a duplicate.
func (w *pageWriter) add(p pair) error {
	if w.pairs > 0 && p == w.last {
		return nil
	}
	if w.pairs >= pagePairs || len(w.page.data)+len(w.entries) >= pageBytes {
		if err := w.close(); err != nil {
			return err
		}
	}
	switch {
	case w.pairs == 0:
		w.page = keyPage{hash: p.hash, at: p.at, data: binary.AppendUvarint(make([]byte, 0, pageBytes+128), uint64(p.hash))}
		w.page.data = binary.AppendUvarint(w.page.data, uint64(w.base))
		w.hash = p.hash
		w.begin(p.at)
	case p.hash != w.last.hash:
		w.endHash()
		w.begin(p.at)
	case !w.follows(p.at):
		w.endRun()
		w.start = p.at
	}
	w.last = p
	w.pairs++
	return nil
}

func (w *pageWriter) begin(at place) { w.entries, w.before, w.start = w.entries[:0], w.base.seq(), at }

// follows reports whether a place continues the run of last.
func (w *pageWriter) follows(at place) bool {
	if w.start.seq() == w.last.at.seq() && at == w.last.at+1 && w.last.at.seq() == at.seq() {
		return true
	}
	return w.start.part() == 0 && w.last.at.part() == 0 && at == w.last.at+1<<partBits &&
		(w.start == w.last.at || w.start.seq() != w.last.at.seq())
}

func (w *pageWriter) endRun() {
	from, to := w.start, w.last.at
	entry := (from.seq() - w.before) << 2
	w.before = to.seq()
	switch {
	case from.seq() != to.seq():
		w.entries = binary.AppendUvarint(w.entries, entry|1)
		w.entries = binary.AppendUvarint(w.entries, to.seq()-from.seq())
	case from != to:
		w.entries = binary.AppendUvarint(w.entries, entry|3)
		w.entries = binary.AppendUvarint(w.entries, uint64(from.part()))
		w.entries = binary.AppendUvarint(w.entries, uint64(to-from))
	case from.part() != 0:
		w.entries = binary.AppendUvarint(w.entries, entry|2)
		w.entries = binary.AppendUvarint(w.entries, uint64(from.part()))
	default:
		w.entries = binary.AppendUvarint(w.entries, entry)
	}
}

func (w *pageWriter) endHash() {
	w.endRun()
	w.page.data = binary.AppendUvarint(w.page.data, uint64(w.last.hash-w.hash))
	w.page.data = binary.AppendUvarint(w.page.data, uint64(len(w.entries)))
	w.page.data = append(w.page.data, w.entries...)
	w.hash, w.entries = w.last.hash, w.entries[:0]
}

// close emits the current page, if there is one.
func (w *pageWriter) close() error {
	if w.pairs == 0 {
		return nil
	}
	w.endHash()
	w.pairs = 0
	w.page.data = binary.BigEndian.AppendUint32(w.page.data, crc32.Checksum(w.page.data, castagnoli))
	return w.emit(w.page)
}

var errPage = fmt.Errorf("%w: a page of keys", errDamaged)

// pageReader reads a page, hash by hash.
type pageReader struct {
	rest []byte
	base place
	hash int64
}

func readPage(data []byte) (*pageReader, error) {
	n := len(data) - crc32.Size
	if n < 0 || crc32.Checksum(data[:n], castagnoli) != binary.BigEndian.Uint32(data[n:]) {
		return nil, errPage
	}
	r := &pageReader{rest: data[:n]}
	hash, ok := r.uvarint()
	base, ok2 := r.uvarint()
	if !ok || !ok2 {
		return nil, errPage
	}
	r.hash, r.base = int64(hash), place(base)
	return r, nil
}

func (r *pageReader) uvarint() (uint64, bool) {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 {
		return 0, false
	}
	r.rest = r.rest[n:]
	return v, true
}

// next returns the next hash and its entries; more is false after the last.
func (r *pageReader) next() (hash int64, entries []byte, more bool, err error) {
	if len(r.rest) == 0 {
		return 0, nil, false, nil
	}
	gap, ok := r.uvarint()
	size, ok2 := r.uvarint()
	if !ok || !ok2 || size == 0 || size > uint64(len(r.rest)) || int64(gap) < 0 || r.hash+int64(gap) < r.hash {
		return 0, nil, false, errPage
	}
	r.hash += int64(gap)
	entries, r.rest = r.rest[:size], r.rest[size:]
	return r.hash, entries, true, nil
}

// find returns the places of a hash; none if the page does not have it. Afterwards
// [pageReader.ended] reports whether the hash may continue on the next page.
func (r *pageReader) find(hash int64) ([]place, error) {
	for {
		h, entries, more, err := r.next()
		if err != nil || !more || h > hash {
			return nil, err
		}
		if h == hash {
			return r.places(entries)
		}
	}
}

// ended reports whether all of the page was read.
func (r *pageReader) ended() bool { return len(r.rest) == 0 }

// places returns the places of entries, at least one, in ascending order.
func (r *pageReader) places(entries []byte) ([]place, error) {
	var to []place
	e, bad := pageReader{rest: entries}, false
	number := func() uint64 {
		v, ok := e.uvarint()
		bad = bad || !ok
		return v
	}
	for seq := r.base.seq(); len(e.rest) > 0; {
		entry := number()
		seq += entry >> 2
		var part, run uint64
		if entry&2 != 0 {
			part = number()
		}
		if entry&1 != 0 {
			run = number()
		}
		if bad || run > pagePairs || seq > 1<<52 || part >= 1<<partBits {
			return nil, errPage
		}
		at, step := firstIn(seq)+place(part), place(1)
		if len(to) > 0 && at <= to[len(to)-1] {
			return nil, errPage
		}
		if entry&3 == 1 {
			step = 1 << partBits
			seq += run
		}
		for range run + 1 {
			to = append(to, at)
			at += step
		}
	}
	return to, nil
}
