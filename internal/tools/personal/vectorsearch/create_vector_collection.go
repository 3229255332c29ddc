package vectorsearch

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/internal/lib/vector"
	"github.com/helve-dev/helve/tool"
)

type createArgs struct {
	Name       string      `json:"name" doc:"A name that no other collection of the person has." min:"1" max:"200"`
	Dimensions *int        `json:"dimensions,omitempty" doc:"Numbers of each vector, 1 to 16000, as the embedding model has them; the first vector that is stored decides if it is left out."`
	Metric     string      `json:"metric,omitempty" doc:"How vectors are compared." enum:"cosine,euclidean,dotproduct" default:"cosine"`
	Metadata   tool.Object `json:"metadata,omitempty" doc:"Anything to store with the collection."`
}

type createResult struct {
	Message string `json:"message"`

	collection
}

var _ = tool.Add(Set, tool.Spec[createArgs, *createResult]{
	Name:          "create_vector_collection",
	Description:   "Create an empty collection for vectors of one length, before the first upsert_vectors, and return it.",
	Tags:          []string{"create collection", "new collection"},
	Example:       `{"name":"recipes","dimensions":4,"metric":"cosine"}`,
	Risk:          tool.Low,
	Confirmation:  tool.ConfirmNever,
	Mutates:       true,
	Transactional: true,
	Needs:         tool.NeedStore,
	Errors:        []tool.Kind{},
	Timeout:       timeout,
	Run:           createCollection,
})

func createCollection(ctx context.Context, call *tool.Call, args createArgs) (*createResult, error) {
	name, err := named("name", args.Name)
	if err != nil {
		return nil, err
	}
	v := stored{Name: name, Metric: vector.Metric(args.Metric), Metadata: json.RawMessage(args.Metadata)}
	if v.Metric == "" {
		v.Metric = vector.Cosine
	}
	if args.Dimensions != nil {
		if v.Dimensions = *args.Dimensions; v.Dimensions < 1 || v.Dimensions > maxDimensions {
			return nil, tool.Fail(tool.ValidationError, "dimensions is %d; a vector has 1 to %d numbers", v.Dimensions, maxDimensions)
		}
	}
	if err := call.Store.Touch(ctx, "vector_collections"); err != nil {
		return nil, err
	}
	there, err := lookup(ctx, call, name)
	if err != nil {
		return nil, err
	}
	if there != nil {
		return nil, tool.Fail(tool.ValidationError,
			"name: there is a collection %q, of %d dimensions and the metric %s; use it, or choose another name",
			textcut.Excerpt(name, 64), there.Value.Dimensions, there.Value.Metric)
	}
	r, err := collections.Insert(ctx, call.Store, v)
	if err != nil {
		return nil, err
	}
	return &createResult{fmt.Sprintf("Collection %q created.", textcut.Excerpt(name, 64)), show(r)}, nil
}
