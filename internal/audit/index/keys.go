package index

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/dchest/siphash"

	"github.com/helve-dev/helve/internal/audit/scan"
)

// pair states that the record at a place has a field with that hash.
type pair struct {
	hash int64
	at   place
}

func (p pair) compare(q pair) int {
	if p.hash != q.hash {
		return cmp.Compare(p.hash, q.hash)
	}
	return cmp.Compare(p.at, q.at)
}

// hasher hashes the fields of one tenant's records. SipHash with a secret of the index
// prevents deliberate collisions with records of others. By accident two of 200 million
// values share their 48 bits once in a million lookups, which costs the lookup one more
// record to read.
type hasher struct{ k0, k1 uint64 }

func newHasher(secret [2]uint64, tenant string) hasher {
	k0, k1 := siphash.Hash128(secret[0], secret[1], []byte(key(tenant)))
	return hasher{k0, k1}
}

func (h hasher) hash(f field, value []byte) int64 {
	return int64(siphash.Hash(h.k0+uint64(f), h.k1, value) >> 16)
}

// pairsOf returns the pairs of the records, in order, and the times of the records.
func pairsOf(h hasher, records []record) (pairs []pair, times span) {
	pairs = make([]pair, 0, len(records)*int(fields))
	var values [fields][]byte
	var hashes [fields]int64 // of values: many are repeated
	times = noSpan
	for i := range records {
		f := factsOf(records[i].data)
		times.add(f.micros)
		for n, value := range f.values[:fields] {
			if len(value) == 0 {
				continue
			}
			if !bytes.Equal(value, values[n]) {
				values[n], hashes[n] = value, h.hash(field(n), value)
			}
			pairs = append(pairs, pair{hashes[n], records[i].at})
		}
	}
	slices.SortFunc(pairs, pair.compare)
	return pairs, times
}

// span is a range of times in microseconds, both ends included.
type span struct{ from, to int64 }

var noSpan = span{1<<63 - 1, -1 << 63}

func (s *span) add(micros int64) { s.from, s.to = min(s.from, micros), max(s.to, micros) }

const longestKey = 200

// key returns the form of a tenant's name in the database. Databases refuse some texts
// because of length, characters or encoding, and one such name must not block all
// records after it: a name that is not short and plain is replaced by its hash.
func key(value string) string {
	if len(value) <= longestKey && scan.Plain([]byte(value)) {
		return value
	}
	sum := sha256.Sum256([]byte(value))
	return "sha256:" + hex.EncodeToString(sum[:])
}
