package catalog

import (
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/lib/nearest"
)

// similar returns the documents that a misspelled or invented name may mean: first those
// with a similar name, then those that its words lead to.
func (x *index) similar(name string) []scored {
	found := x.near(strings.Join(x.recognised(name), " "))
	name = strings.ToLower(name)
	limit := min(1+len(name)/5, 2)
	for i := range x.docs {
		if d := nearest.Distance(name, x.docs[i].name, limit); d <= limit {
			found = append(found, scored{x.docs[i].def, 1000 - float64(d)})
		}
	}
	return found
}

// understands reports whether enough words of a request are known for its nearest tools
// to be more than chance matches.
func (x *index) understands(request string) bool {
	if slices.ContainsFunc(hints(), func(h hint) bool { return h.shape.MatchString(request) }) {
		return true
	}
	said, known := 0, 0
	for _, word := range words(request) {
		if empty[word] {
			continue
		}
		if said++; x.knows(word) {
			known++
		}
	}
	return known > 0 && known*5 >= said
}

// recognised returns the words of a name that are known, or nearly so. A search
// replaces an unknown word of four letters by a similar one; a name must not match any
// tool that happens to have a similar word.
func (x *index) recognised(name string) []string {
	return slices.DeleteFunc(words(name), func(word string) bool { return !x.knows(word) })
}

// knows reports whether a word is in the index, or is a misspelling of such a word.
func (x *index) knows(word string) bool {
	s := stem(word)
	if _, known := synonyms()[s]; known || len(x.postings[s]) > 0 {
		return true
	}
	limit, known := min((len(word)-1)/shortest, 2), false
	if limit > 0 {
		x.vocab.near(word, shortest-1, limit, func(form, int) int {
			known = true
			return -1
		})
	}
	return known
}
