// Package vectorsearch holds the tools that keep vectors and find the nearest ones.
//
// A vector is a row in the store of the person. Each call that changes rows stores their
// ids in a log, in the same transaction. A search reads the log since it last did, and the
// rows that it names, so that all workers find the same. See held.go.
package vectorsearch

import (
	"context"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/internal/lib/vector"
	"github.com/helve-dev/helve/tool"
)

// Set is every tool in this package; each file adds its own.
var Set = tool.NewSet("Vector Search", "vectorSearch")

const (
	timeout = 60 * time.Second
	// maxDimensions is the most numbers of a vector.
	maxDimensions = 16_000
	// maxName is the most characters of a collection's name, a namespace or an id.
	maxName = 200
	// maxVectors is the most vectors and texts of one call.
	maxVectors = 100
)

// outside lists what a tool needs that may send texts to the embedding service.
const outside = tool.NeedHTTP | tool.NeedSecrets

// stored is a collection in the store.
type stored struct {
	Name       string          `json:"name"`
	Dimensions int             `json:"dimensions"` // 0 until the first vector is stored
	Metric     vector.Metric   `json:"metric"`
	Metadata   json.RawMessage `json:"metadata,omitempty"`
}

var collections = tool.NewCollection[stored]("vector_collections")

// collection is a collection as a model sees it.
type collection struct {
	Name       string          `json:"name"`
	Dimensions int             `json:"dimensions" doc:"Numbers of a vector; 0 until the first one is stored, which decides."`
	Metric     string          `json:"metric" enum:"cosine,euclidean,dotproduct"`
	Metadata   json.RawMessage `json:"metadata,omitempty"`
	CreatedAt  string          `json:"createdAt"`
	Count      *int            `json:"count,omitempty" doc:"How many vectors it has, if includeStats is true."`
}

func show(r tool.Record[stored]) collection {
	v := r.Value
	return collection{
		Name:       v.Name,
		Dimensions: v.Dimensions,
		Metric:     string(v.Metric),
		Metadata:   v.Metadata,
		CreatedAt:  r.CreatedAt.Format(time.RFC3339),
	}
}

// named reads the name of a collection, a namespace or an id.
func named(parameter, text string) (string, error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return "", tool.Fail(tool.ValidationError, "%s is missing or blank", parameter)
	case utf8.RuneCountInString(text) > maxName:
		return "", tool.Fail(tool.ValidationError, "%s has more than %d characters", parameter, maxName)
	}
	return text, nil
}

// find returns a collection by its name.
func find(ctx context.Context, call *tool.Call, name string) (tool.Record[stored], error) {
	name, err := named("collection", name)
	if err != nil {
		return tool.Record[stored]{}, err
	}
	found, err := lookup(ctx, call, name)
	if err != nil {
		return tool.Record[stored]{}, err
	}
	if found == nil {
		return tool.Record[stored]{}, tool.Fail(tool.NotFound,
			"Collection not found: %s; list_vector_collections shows the collections, create_vector_collection makes one", textcut.Excerpt(name, 64))
	}
	return *found, nil
}

// lookup returns a collection by its name; nil if there is none.
func lookup(ctx context.Context, call *tool.Call, name string) (*tool.Record[stored], error) {
	found, err := collections.Query(ctx, call.Store, tool.Query{Where: []tool.Condition{tool.Where("name", tool.Equal, name)}, Limit: 1})
	if err != nil || len(found.List) == 0 {
		return nil, err
	}
	return &found.List[0], nil
}

// fits returns why a vector does not fit a collection.
func (s stored) fits(parameter string, v []float32) error {
	switch {
	case len(v) == 0 || len(v) > maxDimensions:
		return tool.Fail(tool.ValidationError, "%s has %d numbers; a vector has 1 to %d", parameter, len(v), maxDimensions)
	case s.Dimensions != 0 && len(v) != s.Dimensions:
		return tool.Fail(tool.ValidationError, "%s has %d numbers, and the vectors of the collection %s have %d",
			parameter, len(v), s.Name, s.Dimensions)
	case s.Metric == vector.Cosine && vector.Zero(v):
		return tool.Fail(tool.ValidationError, "%s is zero, which has no direction for the metric cosine", parameter)
	}
	return nil
}

// narrow reads the numbers of a vector.
func narrow(parameter string, numbers []float64) ([]float32, error) {
	v, err := vector.Narrow(numbers)
	if err != nil {
		return nil, tool.Fail(tool.ValidationError, "%s: %s", parameter, err)
	}
	return v, nil
}
