package catalog

import (
	"math"
	"strings"
)

// near finds the documents that have most to do with a request in plain words: by
// stems, by synonyms, by what the shape of a part of it means, and by spelling where
// a word is known in no other way.
func (x *index) near(request string) []scored {
	request = strings.ToLower(request)
	scores := map[int]float64{}
	for _, word := range x.meant(request) {
		// What one word may mean counts once, and a little for each further match:
		// "meeting" is not twice as strong because events have two names.
		best := map[int]float64{}
		for _, m := range word {
			rarity := x.rarity(m.stem)
			for _, p := range x.postings[m.stem] {
				score := m.weight * p.weight * rarity
				best[p.doc] = max(best[p.doc], score) + min(best[p.doc], score)*again
			}
		}
		for doc, score := range best {
			scores[doc] += score
		}
	}
	var found []scored
	for i, score := range scores {
		d := &x.docs[i]
		// A long list of tags catches much by chance.
		found = append(found, scored{d.def, score * phrases(d, request) / math.Sqrt(1+float64(len(d.text))/2000)})
	}
	return found
}

// phrases is above 1 for a document one of whose tags of several words stands in the
// request as it is.
func phrases(d *document, request string) float64 {
	factor := 1.0
	for tag := range strings.SplitSeq(d.tags, "\n") {
		if strings.ContainsRune(tag, ' ') && strings.Contains(request, tag) {
			factor += 0.3
		}
	}
	return min(factor, 1.6)
}

// How much a stem counts that was not written itself.
const (
	bySynonym = 0.75
	byShape   = 0.6
	bySpell   = 0.8
)

// meaning is a stem that is meant, and how much it counts.
type meaning struct {
	stem   string
	weight float64
}

// meant are the words of a request, each with all it may mean.
func (x *index) meant(request string) [][]meaning {
	var all [][]meaning
	for _, word := range words(request) {
		if empty[word] {
			continue
		}
		s := stem(word)
		means := []meaning{{s, 1}}
		also, known := synonyms()[s]
		for _, other := range also {
			means = append(means, meaning{stem(other), bySynonym})
		}
		if !known && len(x.postings[s]) == 0 {
			for _, other := range x.spelled(word) {
				means = append(means, meaning{other, bySpell})
			}
		}
		all = append(all, means)
	}
	for _, h := range hints() {
		if h.shape.MatchString(request) {
			for word := range strings.FieldsSeq(h.words) {
				all = append(all, []meaning{{stem(word), byShape}})
			}
		}
	}
	return all
}

// shortest is the length from which a word can be meant although it is spelled
// otherwise: of shorter ones every other is near.
const shortest = 4

// spelled are the stems of the words that differ from this one least, if that is by
// one letter, or two from five letters on.
func (x *index) spelled(word string) []string {
	if len(word) < shortest || len(word) > maxSpelled {
		return nil
	}
	best, found := min(1+len(word)/5, 2), []string(nil)
	for _, other := range x.vocab {
		if len(other.word) < shortest-1 {
			continue
		}
		switch d := distance(word, other.word, best); {
		case d < best:
			best, found = d, []string{other.stem}
		case d == best:
			found = append(found, other.stem)
		}
	}
	return found
}

// maxSpelled bounds the words whose spelling is looked at.
const maxSpelled = 40

// distance is how many letters must be changed, left out, put in or swapped with
// their neighbour to make a of b (optimal string alignment); above limit it is only
// known to be above.
func distance(a, b string, limit int) int {
	if diff := len(a) - len(b); diff > limit || -diff > limit || len(b) > maxSpelled {
		return limit + 1
	}
	var rows [3][maxSpelled + 1]int
	for j := range len(b) + 1 {
		rows[0][j] = j
	}
	for i := range len(a) {
		now, last, before := &rows[(i+1)%3], &rows[i%3], &rows[(i+2)%3]
		now[0] = i + 1
		least := now[0]
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			d := min(now[j]+1, last[j+1]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d = min(d, before[j-1]+1)
			}
			now[j+1] = d
			least = min(least, d)
		}
		if least > limit {
			return limit + 1
		}
	}
	return rows[len(a)%3][len(b)]
}
