package index

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

// somePairs returns sorted pairs of hashes that few and that many records have, with runs
// of messages and of parts.
func somePairs(r *rand.Rand, n int) []pair {
	pairs := make([]pair, 0, n)
	for at := firstIn(1 + r.Uint64N(1000)); len(pairs) < n; {
		pairs = append(pairs, pair{r.Int64N(1 << 47), at})
		for hash := range int64(4) {
			if r.IntN(5) > 0 {
				pairs = append(pairs, pair{1<<20 + hash, at})
			}
		}
		switch r.IntN(10) {
		case 0:
			at = firstIn(at.seq() + 1 + r.Uint64N(1000))
		case 1, 2, 3:
			at += place(1 + r.IntN(2))
		default:
			at = firstIn(at.seq() + 1)
		}
	}
	slices.SortFunc(pairs, pair.compare)
	return slices.Compact(pairs)
}

// TestPagesHoldPairs: the pairs read from pages equal the written ones, for any layout.
func TestPagesHoldPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 3, 100, 5000, 50_000} {
		want := somePairs(r, n)
		base := want[0].at
		for _, p := range want {
			base = min(base, p.at)
		}
		var got []pair
		var largest int
		w := pageWriter{base: base, emit: func(k keyPage) error {
			if len(got) > 0 && k.hash < got[len(got)-1].hash {
				t.Fatal("a page begins before the end of the page before")
			}
			largest = max(largest, len(k.data))
			page, err := readPage(k.data)
			for first := true; err == nil; first = false {
				hash, entries, more, err := page.next()
				if err != nil {
					return err
				}
				if !more {
					return nil
				}
				places, err := page.places(entries)
				if err != nil {
					return err
				}
				if first && (hash != k.hash || places[0] != k.at) {
					t.Errorf("a page at %d, %d begins with %d, %d", k.hash, k.at, hash, places[0])
				}
				for _, at := range places {
					got = append(got, pair{hash, at})
				}
			}
			return err
		}}
		for _, p := range want {
			for range 2 { // one twice is one
				if err := w.add(p); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := w.close(); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d pairs are read back as %d others", len(want), len(got))
		}
		if largest > pageBytes+100 {
			t.Errorf("a page has %d bytes", largest)
		}
	}
}

// FuzzReadPage: bytes that are no page are an error, and take no more memory than pages do.
func FuzzReadPage(f *testing.F) {
	w := pageWriter{base: 1024, emit: func(k keyPage) error {
		f.Add(k.data)
		return nil
	}}
	for _, p := range []pair{{5, 1024}, {5, 2048}, {5, 2049}, {7, 5000}, {1 << 40, 1 << 41}} {
		if err := w.add(p); err != nil {
			f.Fatal(err)
		}
	}
	if err := w.close(); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		page := &pageReader{rest: data} // as if its CRC were right
		for {
			_, entries, more, err := page.next()
			if err != nil && !errors.Is(err, errDamaged) {
				t.Fatal(err)
			}
			if err != nil || !more {
				return
			}
			places, err := page.places(entries)
			if err == nil && len(places) > (pagePairs+1)*len(entries) {
				t.Errorf("%d bytes are %d places", len(entries), len(places))
			}
		}
	})
}
