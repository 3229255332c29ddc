package vectorsearch

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/helve-dev/helve/internal/lib/vector"
	"github.com/helve-dev/helve/tool"
)

type searchArgs struct {
	Query             string      `json:"query,omitempty" doc:"A text, of which the embedding service makes a vector."`
	Vector            []float64   `json:"vector,omitempty" doc:"A vector in place of query."`
	Collection        string      `json:"collection" doc:"The collection's name." min:"1" max:"200"`
	TopK              int         `json:"topK,omitempty" doc:"The most results, 1 to 50."`
	Threshold         *float64    `json:"threshold,omitempty" doc:"The least score of a result."`
	Filter            tool.Object `json:"filter,omitempty" doc:"Metadata that a result must have, all of it."`
	Namespace         *string     `json:"namespace,omitempty" doc:"Only vectors of this part of the collection." max:"200"`
	IncludeMetadata   *bool       `json:"includeMetadata,omitempty" doc:"Whether to return metadata; the default is true."`
	IncludeEmbeddings bool        `json:"includeEmbeddings,omitempty" doc:"Whether to return the vectors."`
}

type searchResult struct {
	Message    string  `json:"message"`
	Collection string  `json:"collection"`
	Count      int     `json:"count"`
	Matches    []match `json:"matches" doc:"The nearest first."`
}

type match struct {
	ID        string          `json:"id"`
	Score     float64         `json:"score" doc:"How near it is: the cosine, the dot product, or 1/(1+distance)."`
	Namespace string          `json:"namespace,omitempty"`
	Text      string          `json:"text,omitempty"`
	Metadata  json.RawMessage `json:"metadata,omitempty"`
	Embedding []float32       `json:"embedding,omitempty"`
}

var _ = tool.Add(Set, tool.Spec[searchArgs, *searchResult]{
	Name: "semantic_search",
	Description: "Find what is nearest in meaning to a text, or nearest to a vector, in a collection, and return ids, scores, " +
		"texts and metadata.",
	Tags:         []string{"semantic search", "similarity", "meaning", "smart search"},
	Example:      `{"collection":"articles","vector":[0.9,0.1,0,0.1],"topK":3}`,
	Risk:         tool.Low,
	Confirmation: tool.ConfirmNever,
	Mutates:      false,
	Idempotent:   true,
	OpenWorld:    true,
	Scopes:       tool.Scopes{Hosts: []string{"*"}}, // base_url may name any host
	Limit:        &tool.Limit{Param: "topK", Default: 10, Max: 50},
	Needs:        tool.NeedStore | tool.NeedCache | outside,
	Errors:       []tool.Kind{tool.NotFound, tool.NotConfigured, tool.NetworkError, tool.ExecutionError},
	Timeout:      timeout,
	Run:          semanticSearch,
})

func semanticSearch(ctx context.Context, call *tool.Call, args searchArgs) (*searchResult, error) {
	c, err := find(ctx, call, args.Collection)
	if err != nil {
		return nil, err
	}
	v, err := args.target(ctx, call, c.Value)
	if err != nil {
		return nil, err
	}
	res := &searchResult{Collection: c.Value.Name, Matches: []match{}}
	if c.Value.Dimensions > 0 {
		q := vector.Query{Vector: v, K: args.TopK, Threshold: args.Threshold}
		found, err := search(ctx, call, c, q, func(m marker) ([]uint64, error) { return m.filtered(args.Filter, args.Namespace) })
		if err != nil {
			return nil, err
		}
		if res.Matches, err = args.show(ctx, call, c, found); err != nil {
			return nil, err
		}
	}
	res.Count = len(res.Matches)
	res.Message = fmt.Sprintf("%d match(es) found in %s.", res.Count, c.Value.Name)
	return res, nil
}

// target returns the vector to compare with.
func (args searchArgs) target(ctx context.Context, call *tool.Call, c stored) ([]float32, error) {
	text := strings.TrimSpace(args.Query) != ""
	if text == (len(args.Vector) > 0) {
		return nil, tool.Fail(tool.ValidationError, "give either query, a text, or vector")
	}
	if !text {
		v, err := narrow("vector", args.Vector)
		if err != nil {
			return nil, err
		}
		return v, c.fits("vector", v)
	}
	vectors, model, err := embed(ctx, call, c.Dimensions, []string{args.Query})
	if err != nil {
		return nil, err
	}
	return vectors[0], c.fits("a vector of the model "+model, vectors[0])
}

// show returns the rows of matches. Those that were deleted meanwhile are left out.
func (args searchArgs) show(ctx context.Context, call *tool.Call, c tool.Record[stored], found []vector.Match) ([]match, error) {
	ids := make([]string, len(found))
	for i, m := range found {
		ids[i] = m.ID
	}
	rows, err := rowsByID(ctx, call, c, ids)
	if err != nil {
		return nil, err
	}
	byID := map[string]tool.Row{}
	for _, r := range rows {
		byID[r.ID] = r
	}
	shown, words := make([]match, 0, len(found)), map[string]bool{}
	for _, m := range found {
		at, there := byID[m.ID]
		if !there {
			continue
		}
		r, encoded, err := read(at.Doc)
		if err != nil {
			return nil, unreadable(err)
		}
		if words[r.Word] { // two calls stored it at the same time
			continue
		}
		words[r.Word] = true
		one := match{ID: r.ID, Score: m.Score, Namespace: r.Namespace, Text: r.Text}
		if args.IncludeMetadata == nil || *args.IncludeMetadata {
			one.Metadata = r.Metadata
		}
		if args.IncludeEmbeddings {
			if one.Embedding, err = vector.Decode(nil, encoded); err != nil {
				return nil, unreadable(err)
			}
		}
		shown = append(shown, one)
	}
	return shown, nil
}
