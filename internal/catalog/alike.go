package catalog

import (
	"slices"
	"strings"
)

// alike finds the documents that somebody who wrote this name may have meant: those
// whose name is spelled nearly so come first, then those that its words lead to.
func (x *index) alike(name string) []scored {
	found := x.near(strings.Join(x.recognised(name), " "))
	name = strings.ToLower(name)
	limit := min(1+len(name)/5, 2)
	for i := range x.docs {
		if d := distance(name, x.docs[i].name, limit); d <= limit {
			found = append(found, scored{x.docs[i].def, 1000 - float64(d)})
		}
	}
	return found
}

// recognised are the words of a name that are known, or nearly so. A search takes a
// word of four letters for another one; a name is not to be answered with any that
// happens to have a word like it.
func (x *index) recognised(name string) []string {
	return slices.DeleteFunc(words(name), func(word string) bool {
		s := stem(word)
		if _, known := synonyms()[s]; known || len(x.postings[s]) > 0 {
			return false
		}
		limit := min((len(word)-1)/shortest, 2)
		return limit == 0 || !slices.ContainsFunc(x.vocab, func(f form) bool {
			return len(f.word) >= shortest-1 && distance(word, f.word, limit) <= limit
		})
	})
}
