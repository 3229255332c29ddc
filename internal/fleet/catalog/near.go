package catalog

import (
	"math"
	"strings"
)

// near returns the documents nearest to a request in plain words: by stems, by
// synonyms, by the shape of a part of it, and by spelling for words that are otherwise
// unknown.
func (x *index) near(request string) []scored {
	request = strings.ToLower(request)
	scores, best := make([]float64, len(x.docs)), make([]float64, len(x.docs))
	var touched, all []int
	for _, word := range x.meant(request) {
		// Of the meanings of one word the best counts, plus a little for each further
		// match: "meeting" is not twice as strong because events have two names.
		touched = touched[:0]
		for _, m := range word {
			rarity := x.rarity(m.stem)
			for _, p := range x.postings[m.stem] {
				score := m.weight * p.weight * rarity
				if best[p.doc] == 0 {
					touched = append(touched, p.doc)
				}
				best[p.doc] = max(best[p.doc], score) + min(best[p.doc], score)*again
			}
		}
		for _, i := range touched {
			if scores[i] == 0 {
				all = append(all, i)
			}
			scores[i] += best[i]
			best[i] = 0
		}
	}
	found := make([]scored, 0, len(all))
	title := titleOf(request, nil)
	for _, i := range all {
		d := &x.docs[i]
		// A long list of tags matches much by chance.
		found = append(found, scored{d.def, scores[i] * phrases(d, request) * titled(d.title, title) / math.Sqrt(1+float64(d.size)/2000)})
	}
	return found
}

// phrases returns a factor above 1 for a document with a tag of several words that the
// request contains literally.
func phrases(d *document, request string) float64 {
	factor := 1.0
	for _, tag := range d.phrases {
		if strings.Contains(request, tag) {
			factor += 0.3
		}
	}
	return min(factor, 1.6)
}

// The weight of a stem that was not written itself.
const (
	bySynonym = 0.75
	byShape   = 0.6
	bySpell   = 0.8
)

// meaning is a stem that may be meant, and its weight.
type meaning struct {
	stem   string
	weight float64
}

// meant returns the words of a request, each with all its possible meanings.
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

// shortest is the length from which a word may be a misspelling: shorter words are all
// near each other.
const shortest = 4

// spelled returns the stems of the words nearest to this one, with a distance of one
// letter, or two from five letters on.
func (x *index) spelled(word string) []string {
	if len(word) < shortest || len(word) > maxSpelled {
		return nil
	}
	best, found := min(1+len(word)/5, 2), []string(nil)
	x.vocab.near(word, shortest-1, best, func(f form, d int) int {
		if d < best {
			best, found = d, nil
		}
		found = append(found, f.stem)
		return best
	})
	return found
}

// maxSpelled bounds the words whose spelling is compared.
const maxSpelled = 40
