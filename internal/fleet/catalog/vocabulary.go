package catalog

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/helve-dev/helve/internal/lib/nearest"
)

// vocabulary is every word of an index, by length, and sorted.
type vocabulary [][]form

// form is a word and its stem. Letters has a bit for each byte that occurs in the word.
type form struct {
	word, stem string
	letters    uint64
}

func newVocabulary(stems map[string]string) vocabulary {
	var v vocabulary
	for word, s := range stems {
		for len(v) <= len(word) {
			v = append(v, nil)
		}
		v[len(word)] = append(v[len(word)], form{word, s, lettersOf(word)})
	}
	for _, list := range v {
		slices.SortFunc(list, func(a, b form) int { return cmp.Compare(a.word, b.word) })
	}
	return v
}

func lettersOf(word string) (set uint64) {
	for i := range len(word) {
		set |= 1 << (word[i] & 63)
	}
	return set
}

// near calls each for the words of at least a length within a distance of word, until it
// returns a distance below 0. The distance that it returns is the limit from then on.
func (v vocabulary) near(word string, shortest, limit int, each func(f form, distance int) (limit int)) {
	letters := lettersOf(word)
	for size := max(len(word)-limit, shortest); size <= len(word)+limit && size < len(v); size++ {
		for _, f := range v[size] {
			// Replacing a letter changes two bits, anything else one at most.
			if bits.OnesCount64(f.letters^letters) > 2*limit {
				continue
			}
			if d := nearest.Distance(word, f.word, limit); d <= limit {
				if limit = each(f, d); limit < 0 {
					return
				}
			}
		}
	}
}
