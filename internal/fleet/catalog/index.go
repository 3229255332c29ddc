package catalog

import (
	"math"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// index answers searches over the tools of one snapshot. It is immutable.
type index struct {
	docs     []document
	runs     runs
	postings map[string][]posting // by stem
	vocab    vocabulary
}

// document is a tool in the index.
type document struct {
	def *tool.Definition
	// name is in lower case, as are phrases: the tags of several words. size is the length
	// of all texts of the tool.
	name    string
	phrases []string
	size    int
	// title are the stems of the first sentence of the description, without articles.
	title []string
}

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
	x, stems := &index{postings: map[string][]posting{}}, map[string]string{}
	x.runs.ids = map[string]int{}
	weights := map[string]float64{}
	for i, def := range defs {
		d := document{def: def, name: strings.ToLower(def.Name)}
		tags := strings.ToLower(strings.Join(def.Tags, "\n")) // no word of a query has a line break
		for tag := range strings.SplitSeq(tags, "\n") {
			if strings.ContainsRune(tag, ' ') {
				d.phrases = append(d.phrases, tag)
			}
		}
		description, category := strings.ToLower(def.Description), strings.ToLower(def.Category)
		d.size = len(d.name) + len(description) + len(category) + len(tags) + 3
		x.docs = append(x.docs, d)
		x.runs.add(i, d.name, inTheName)
		x.runs.add(i, tags, inATag)
		x.runs.add(i, description, inTheText)
		x.runs.add(i, category, inTheText)
		clear(weights)
		count := func(text string, weight float64) {
			for _, word := range words(text) {
				s, seen := stems[word]
				if !seen {
					s = stem(word)
					stems[word] = s
				}
				weights[s] = max(weights[s], weight) + min(weights[s], weight)*again
			}
		}
		count(def.Name, inName)
		for _, alias := range def.Aliases {
			count(alias, inTags)
		}
		count(tags, inTags)
		count(def.Category, inCategory)
		count(def.Description, inDescription)
		x.docs[i].title = titleOf(def.Description, stems)
		for s, weight := range weights {
			x.postings[s] = append(x.postings[s], posting{i, weight})
		}
	}
	x.runs.ids = nil // it is only for making the index
	x.vocab = newVocabulary(stems)
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
	sums, hits, places := make([]float64, len(x.docs)), make([]int, len(x.docs)), make([]place, len(x.docs))
	var touched []int
	for n, word := range words {
		touched = x.runs.find(word, places, touched[:0])
		if len(touched) == 0 {
			return nil
		}
		for _, i := range touched {
			if hits[i] == n {
				hits[i]++
				sums[i] += places[i].score(word, x.docs[i].name)
			}
			places[i] = nowhere
		}
	}
	var found []scored
	for i, n := range hits {
		if n != len(words) {
			continue
		}
		if x.docs[i].name == query {
			sums[i] += 1000
		}
		found = append(found, scored{x.docs[i].def, sums[i]})
	}
	return found
}

// scored is a tool and its score.
type scored struct {
	def   *tool.Definition
	score float64
}
