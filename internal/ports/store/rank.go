package store

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// ranked returns a page of the documents that match a text, the best match first. It ranks
// in this process, by the documents alone: the statistics of a search index would let the
// order depend on documents of other persons.
func (u *Unit) ranked(ctx context.Context, shape *tool.Shape, q tool.Query) (tool.Page, error) {
	if q.Cursor != "" || len(q.Order) > 0 {
		return tool.Page{}, tool.Fail(tool.ValidationError,
			"the best matches have an order of their own and no cursor; leave out the order, and skip items by an offset")
	}
	limit, offset := q.Limit, q.Offset
	q.Limit, q.Offset, q.Best = tool.MaxPage, 0, false
	page, err := u.Query(ctx, shape, q)
	if err != nil {
		return tool.Page{}, err
	}
	terms := words(q.Text, maxTerms)
	scores := make(map[string]float64, len(page.Rows))
	for i := range page.Rows {
		scores[page.Rows[i].ID] = score(shape, page.Rows[i].Doc, terms)
	}
	slices.SortStableFunc(page.Rows, func(a, b tool.Row) int { return cmp.Compare(scores[b.ID], scores[a.ID]) })
	offset = min(offset, len(page.Rows))
	page.Rows = page.Rows[offset:min(offset+limit, len(page.Rows))]
	page.Next = ""
	return page, nil
}

const (
	// exactScore is the score of a term that is a word, prefixScore that of the beginning
	// of one; a field counts half as much as the search field before it.
	exactScore, prefixScore = 2, 1
	// lengthScore is the part of the score that depends on how much else a field holds.
	lengthScore = 0.5
)

// score returns how well a document matches terms: words count more than beginnings of
// words, earlier search fields more than later ones, and short texts more than long ones.
func score(shape *tool.Shape, doc json.RawMessage, terms []string) (sum float64) {
	weight := 1.0
	for _, field := range shape.Search {
		list := wordsOf(&tool.Shape{Search: []string{field}}, doc)
		found := 0.0
		for _, term := range terms {
			best := 0.0
			for _, word := range list {
				if word == term {
					best = exactScore
					break
				}
				if best == 0 && strings.HasPrefix(word, term) {
					best = prefixScore
				}
			}
			found += best
		}
		if found > 0 {
			sum += weight * (found + lengthScore*float64(len(terms))/float64(len(list)))
		}
		weight /= 2
	}
	return sum
}
