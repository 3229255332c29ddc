package memory

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/helve-dev/helve/tool"
)

const (
	// maxTerms bounds the words of a query that are searched for one by one.
	maxTerms = 12
	// perTerm bounds the memories that are read for each.
	perTerm = 100
	// maxRead bounds the bytes of the contents that one search reads: it reads no further
	// page when it has so many.
	maxRead = 16 << 20
)

// search finds memories by the words of a query.
type search struct {
	store tool.Store
	now   time.Time
	where []tool.Condition

	found map[string]tool.Record[stored]
	bytes int
	// more is set if some memories that match were not read.
	more bool
}

// words returns the ids of the memories that have a word of the query, the best match
// first: memories that have all words, then others. A word counts more, the fewer memories
// have it. Among equal matches the more important memory comes first, then the newer one.
func (s *search) words(ctx context.Context, query string) ([]string, error) {
	terms := termsOf(query)
	if len(terms) == 0 {
		return nil, nil
	}
	all, _, err := s.read(ctx, query)
	if err != nil {
		return nil, err
	}
	score, most := map[string]float64{}, 0.0
	for _, term := range terms {
		if len(terms) == 1 {
			break
		}
		ids, total, err := s.read(ctx, term)
		if err != nil {
			return nil, err
		}
		weight := 1 / math.Log2(2+float64(total))
		most += weight
		for _, id := range ids {
			score[id] += weight
		}
	}
	for _, id := range all {
		score[id] = most + 1
	}
	return slices.SortedFunc(maps.Keys(score), func(a, b string) int {
		return cmp.Or(cmp.Compare(score[b], score[a]), s.compare(a, b))
	}), nil
}

// meaning returns the ids of the memories that are near the query in meaning, the nearest
// first; none if no service for embeddings is configured.
func (s *search) meaning(ctx context.Context, call *tool.Call, args recallArgs) ([]string, error) {
	m, err := meaningsOf(ctx, call, []string{args.Query})
	if m == nil || err != nil {
		return nil, err
	}
	var ids []string
	for _, id := range m.near(m.texts[0], related, perTerm) {
		if r, read := s.found[id]; read {
			ids = append(ids, r.ID)
			continue
		}
		if s.bytes >= maxRead {
			s.more = true
			break
		}
		r, err := memories.Get(ctx, s.store, id)
		if e := tool.AsError(err); e != nil && e.Kind == tool.NotFound || err == nil && !args.fits(&r.Value) {
			continue
		}
		if err != nil {
			return nil, err
		}
		s.found[id] = r
		s.bytes += len(r.Value.Content)
		ids = append(ids, id)
	}
	return ids, nil
}

// fits reports whether a memory has the type and the tags.
func (args recallArgs) fits(v *stored) bool {
	for _, tag := range args.Tags {
		if tag = strings.TrimSpace(tag); tag != "" && !slices.Contains(v.Tags, tag) {
			return false
		}
	}
	return args.Type == "" || args.Type == v.Type
}

// compare orders memories that match equally well.
func (s *search) compare(a, b string) int {
	x, y := s.found[a], s.found[b]
	return cmp.Or(cmp.Compare(y.Value.importance(s.now), x.Value.importance(s.now)), y.CreatedAt.Compare(x.CreatedAt), cmp.Compare(a, b))
}

// read reads the strongest memories that have all words of a text, and returns their ids
// and how many there are.
func (s *search) read(ctx context.Context, text string) (ids []string, total int, err error) {
	if s.bytes >= maxRead {
		s.more = true
		return nil, 0, nil
	}
	page, err := memories.Query(ctx, s.store, tool.Query{
		Where: s.where, Text: text, Limit: perTerm, Total: true,
		Order: []tool.Order{{Field: "strength", Down: true}, {Field: tool.FieldCreated, Down: true}},
	})
	if err != nil {
		return nil, 0, err
	}
	for _, r := range page.List {
		if _, again := s.found[r.ID]; !again {
			s.found[r.ID] = r
			s.bytes += len(r.Value.Content)
		}
		ids = append(ids, r.ID)
	}
	s.more = s.more || page.Next != ""
	return ids, page.Total, nil
}

// termsOf returns the different words of a query, at most maxTerms: the longest ones.
func termsOf(query string) []string {
	terms := strings.FieldsFunc(strings.ToLower(query), func(r rune) bool {
		return !unicode.In(r, unicode.Letter, unicode.Number, unicode.Mark, unicode.So)
	})
	slices.SortFunc(terms, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	terms = slices.Compact(terms)
	return terms[:min(len(terms), maxTerms)]
}
