package vectorsearch

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/helve-dev/helve/internal/lib/vector"
	"github.com/helve-dev/helve/tool"
)

type upsertArgs struct {
	Collection string       `json:"collection" doc:"The collection's name." min:"1" max:"200"`
	Vectors    []givenArgs  `json:"vectors,omitempty" doc:"Vectors to store, at most 100 with the texts."`
	Texts      []writtenArg `json:"texts,omitempty" doc:"Texts to store with their vectors, which the embedding service makes; at most 100 with the vectors."`
	Namespace  string       `json:"namespace,omitempty" doc:"A part of the collection; ids are unique in it." max:"200"`
}

type givenArgs struct {
	ID       string      `json:"id,omitempty" doc:"Its id; a vector with this id is replaced. One is made if it is left out." max:"200"`
	Values   []float64   `json:"values,omitempty" doc:"Its numbers."`
	Metadata tool.Object `json:"metadata,omitempty" doc:"What to filter by and to return."`
}

type writtenArg struct {
	ID       string      `json:"id,omitempty" doc:"Its id; a vector with this id is replaced. One is made if it is left out." max:"200"`
	Text     string      `json:"text,omitempty" doc:"The text."`
	Metadata tool.Object `json:"metadata,omitempty" doc:"What to filter by and to return."`
}

type upsertResult struct {
	Message    string   `json:"message"`
	Collection string   `json:"collection"`
	Namespace  string   `json:"namespace"`
	Upserted   int      `json:"upserted" doc:"How many were stored."`
	IDs        []string `json:"ids" doc:"Their ids, vectors before texts."`
}

var _ = tool.Add(Set, tool.Spec[upsertArgs, *upsertResult]{
	Name: "upsert_vectors",
	Description: "Store vectors or texts in a collection, replacing those of the same ids, so that semantic_search finds them; " +
		"return their ids.",
	Tags:          []string{"upsert", "vector add", "update vectors"},
	Example:       `{"collection":"articles","vectors":[{"id":"b","values":[0.1,0.9,0,0.2],"metadata":{"lang":"en"}}]}`,
	Risk:          tool.Low,
	Confirmation:  tool.ConfirmNever,
	Mutates:       true,
	Idempotent:    true,
	Transactional: true,
	OpenWorld:     true,
	Scopes:        tool.Scopes{Hosts: []string{"*"}}, // base_url may name any host
	Needs:         tool.NeedStore | outside,
	Errors:        []tool.Kind{tool.NotFound, tool.NotConfigured, tool.NetworkError, tool.ExecutionError},
	Timeout:       timeout,
	Run:           upsertVectors,
})

func upsertVectors(ctx context.Context, call *tool.Call, args upsertArgs) (*upsertResult, error) {
	c, err := find(ctx, call, args.Collection)
	if err != nil {
		return nil, err
	}
	list, err := args.entries(ctx, call, &c.Value)
	if err != nil {
		return nil, err
	}
	res := &upsertResult{Collection: c.Value.Name, Namespace: args.Namespace, IDs: make([]string, len(list))}
	var changed []string
	for i, e := range list {
		rows, err := e.store(ctx, call, c)
		if err != nil {
			return nil, err
		}
		changed, res.IDs[i] = append(changed, rows...), e.ID
	}
	if err := record(ctx, call, c, changed); err != nil {
		return nil, err
	}
	if was, err := collections.Get(ctx, call.Store, c.ID); err != nil {
		return nil, err
	} else if was.Value.Dimensions != c.Value.Dimensions { // the first vectors decide
		was.Value.Dimensions = c.Value.Dimensions
		if _, err := collections.Update(ctx, call.Store, was); err != nil {
			return nil, err
		}
	}
	res.Upserted = len(list)
	res.Message = fmt.Sprintf("Stored %d vector(s) in %s.", len(list), c.Value.Name)
	return res, nil
}

// entry is a vector to store.
type entry struct {
	row

	vector []float32
}

// store stores the entry, and returns the ids of the rows that it changed.
func (e entry) store(ctx context.Context, call *tool.Call, c tool.Record[stored]) ([]string, error) {
	e.V, e.Word = vector.Encode(e.vector), wordOf(e.Namespace, e.ID)
	doc, err := json.Marshal(e.row)
	if err != nil {
		return nil, tool.Fail(tool.ValidationError, "the vector %s cannot be stored as JSON", e.ID).Because(err)
	}
	shape := rowsOf(c)
	there, err := rowsFor(ctx, call, c, e.Namespace, e.ID)
	if err != nil {
		return nil, err
	}
	if len(there) == 0 {
		r, err := call.Store.Insert(ctx, shape, doc)
		return []string{r.ID}, err
	}
	changed := []string{there[0].ID}
	if _, err := call.Store.Update(ctx, shape, there[0].ID, there[0].Revision, doc); err != nil {
		return nil, err
	}
	for _, r := range there[1:] {
		changed = append(changed, r.ID)
		if err := call.Store.Delete(ctx, shape, r.ID, r.Revision); err != nil {
			return nil, err
		}
	}
	return changed, nil
}
