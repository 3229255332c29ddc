package catalog

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// runs finds the documents in which a word occurs, also in the middle of a longer word. No
// word of a query has a separator, so it can only occur within a run: letters and digits
// without anything between them. The runs of all documents are fewer than their texts by
// far, and are searched as one text.
type runs struct {
	ids    map[string]int
	text   strings.Builder
	starts []int // of the runs in text, ascending
	lists  [][]occurrence
}

// occurrence is a document that has a run, and the most important place of it there.
type occurrence struct {
	doc   int
	place place
}

// place is where a word occurs in a document.
type place uint8

// The places, in ascending importance.
const (
	nowhere place = iota
	inTheText
	inATag
	inTheName
)

// score returns the weight of a word at a place in the document of that name.
func (p place) score(word, name string) float64 {
	switch p {
	case inTheName:
		return 100 + 10*float64(len(word))/float64(len(name))
	case inATag:
		return 10
	default:
		return 1
	}
}

// add adds the runs of a text, in lower case.
func (r *runs) add(doc int, text string, p place) {
	for start := 0; start < len(text); {
		size := 0
		for start+size < len(text) {
			c, n := utf8.DecodeRuneInString(text[start+size:])
			if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
				break
			}
			size += n
		}
		if size == 0 {
			_, n := utf8.DecodeRuneInString(text[start:])
			start += n
			continue
		}
		r.note(doc, text[start:start+size], p)
		start += size
	}
}

func (r *runs) note(doc int, run string, p place) {
	id, known := r.ids[run]
	if !known {
		id = len(r.lists)
		r.ids[run] = id
		r.starts = append(r.starts, r.text.Len())
		r.text.WriteString(run)
		r.text.WriteByte('\n')
		r.lists = append(r.lists, nil)
	}
	list := r.lists[id]
	if n := len(list); n > 0 && list[n-1].doc == doc {
		list[n-1].place = max(list[n-1].place, p)
		return
	}
	r.lists[id] = append(list, occurrence{doc, p})
}

// find sets the place of a word in places for each document that has it, and appends these
// documents to touched.
func (r *runs) find(word string, places []place, touched []int) []int {
	text, from := r.text.String(), 0
	for {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return touched
		}
		id := sort.SearchInts(r.starts, from+i+1) - 1
		for _, o := range r.lists[id] {
			if places[o.doc] == nowhere {
				touched = append(touched, o.doc)
			}
			places[o.doc] = max(places[o.doc], o.place)
		}
		if id+1 == len(r.starts) {
			return touched
		}
		from = r.starts[id+1]
	}
}
