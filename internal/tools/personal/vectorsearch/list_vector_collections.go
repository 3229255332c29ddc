package vectorsearch

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/internal/lib/listing"
	"github.com/helve-dev/helve/tool"
)

type listArgs struct {
	IncludeStats bool `json:"includeStats,omitempty" doc:"Whether to count the vectors of each collection." default:"false"`
	Offset       int  `json:"offset,omitempty" doc:"How many collections to skip."`
}

type listResult struct {
	Message     string       `json:"message"`
	Collections []collection `json:"collections" doc:"By name."`

	listing.Counts
}

// maxListed is the most collections of one answer.
const maxListed = 100

var _ = tool.Add(Set, tool.Spec[listArgs, *listResult]{
	Name: "list_vector_collections",
	Description: "List the person's collections of vectors by name, with their dimensions and metric, and the number of their vectors if " +
		"includeStats is true.",
	Tags:         []string{"collections", "vector list"},
	Example:      `{"includeStats":true}`,
	Risk:         tool.Low,
	Confirmation: tool.ConfirmNever,
	Mutates:      false,
	Idempotent:   true,
	Needs:        tool.NeedStore,
	Errors:       []tool.Kind{},
	Timeout:      timeout,
	Run:          listCollections,
})

func listCollections(ctx context.Context, call *tool.Call, args listArgs) (*listResult, error) {
	found, counts, err := listing.Read(ctx, collections, call.Store, tool.Query{Order: []tool.Order{{Field: "name"}}, Limit: maxListed},
		args.Offset)
	if err != nil {
		return nil, err
	}
	res := &listResult{Collections: make([]collection, len(found)), Counts: counts}
	for i, r := range found {
		res.Collections[i] = show(r)
		if !args.IncludeStats {
			continue
		}
		vectors, err := count(ctx, call, r)
		if err != nil {
			return nil, err
		}
		res.Collections[i].Count = &vectors
	}
	res.Message = fmt.Sprintf("%d collection(s) found.", res.Total)
	if res.Truncated {
		res.Message = fmt.Sprintf("%d of %d collection(s); set offset to see others.", res.Count, res.Total)
	}
	return res, nil
}
