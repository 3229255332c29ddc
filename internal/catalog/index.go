package catalog

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// index answers searches over the tools of one snapshot. It is immutable.
type index struct {
	docs     []document
	postings map[string][]posting // by stem
	vocab    []form               // every word, sorted
}

// document is a tool in the index.
type document struct {
	def *tool.Definition
	// name, tags and text are in lower case, their parts separated by line breaks,
	// which no word of a query contains. text is all of it.
	name, tags, text string
}

// form is a word and its stem.
type form struct{ word, stem string }

// posting is the weight of a stem for a tool.
type posting struct {
	doc    int
	weight float64
}

// The weight of a word in each part of a definition.
const (
	inName        = 3.0
	inTags        = 2.4
	inCategory    = 1.0
	inDescription = 1.0
	// again is the weight of a repeated word: repetition means little.
	again = 0.15
)

func newIndex(defs []*tool.Definition) *index {
	x, seen := &index{postings: map[string][]posting{}}, map[string]bool{}
	for i, def := range defs {
		d := document{def: def, name: strings.ToLower(def.Name), tags: strings.ToLower(strings.Join(def.Tags, "\n"))}
		d.text = strings.Join([]string{d.name, strings.ToLower(def.Description), strings.ToLower(def.Category), d.tags}, "\n")
		x.docs = append(x.docs, d)
		weights := map[string]float64{}
		count := func(text string, weight float64) {
			for _, word := range words(text) {
				seen[word] = true
				s := stem(word)
				weights[s] = max(weights[s], weight) + min(weights[s], weight)*again
			}
		}
		count(def.Name, inName)
		for _, alias := range def.Aliases {
			count(alias, inTags)
		}
		count(d.tags, inTags)
		count(def.Category, inCategory)
		count(def.Description, inDescription)
		for s, weight := range weights {
			x.postings[s] = append(x.postings[s], posting{i, weight})
		}
	}
	for word := range seen {
		x.vocab = append(x.vocab, form{word, stem(word)})
	}
	slices.SortFunc(x.vocab, func(a, b form) int { return cmp.Compare(a.word, b.word) })
	return x
}

// rarity returns how strongly a stem distinguishes tools.
func (x *index) rarity(s string) float64 {
	return math.Log(1 + float64(len(x.docs))/float64(1+len(x.postings[s])))
}

// strict returns the documents that contain every word of a query, with a score: the
// tool of that exact name comes first, words in the name weigh most, then those in
// tags, then others.
func (x *index) strict(query string, words []string) []scored {
	var found []scored
	for i := range x.docs {
		d := &x.docs[i]
		sum, all := 0.0, true
		if d.name == query {
			sum = 1000
		}
		for _, word := range words {
			switch {
			case strings.Contains(d.name, word):
				sum += 100 + 10*float64(len(word))/float64(len(d.name))
			case strings.Contains(d.tags, word):
				sum += 10
			case strings.Contains(d.text, word):
				sum++
			default:
				all = false
			}
			if !all {
				break
			}
		}
		if all {
			found = append(found, scored{d.def, sum})
		}
	}
	return found
}

// scored is a tool and its score.
type scored struct {
	def   *tool.Definition
	score float64
}
