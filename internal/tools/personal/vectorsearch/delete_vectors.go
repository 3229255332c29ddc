package vectorsearch

import (
	"context"
	"fmt"
	"slices"

	"github.com/helve-dev/helve/tool"
)

type deleteArgs struct {
	Collection string      `json:"collection" doc:"The collection's name." min:"1" max:"200"`
	IDs        []string    `json:"ids,omitempty" doc:"Ids of vectors, at most 1000."`
	Filter     tool.Object `json:"filter,omitempty" doc:"Metadata that a vector must have, all of it, to be deleted."`
	DeleteAll  bool        `json:"deleteAll,omitempty" doc:"Whether to delete every vector."`
	Namespace  *string     `json:"namespace,omitempty" doc:"Only vectors of this part of the collection; ids without it are those of vectors stored without one." max:"200"`
}

type deleteResult struct {
	Message    string `json:"message"`
	Collection string `json:"collection"`
	Deleted    int    `json:"deleted" doc:"How many were deleted."`
}

// maxDeleted is the most ids of one call.
const maxDeleted = 1000

var _ = tool.Add(Set, tool.Spec[deleteArgs, *deleteResult]{
	Name:          "delete_vectors",
	Description:   "Delete vectors of a collection for ever, by their ids, by metadata, or all, and return how many were deleted.",
	Tags:          []string{"vector delete", "remove vectors"},
	Example:       `{"collection":"articles","ids":["a"]}`,
	Risk:          tool.Medium,
	Mutates:       true,
	Destructive:   true,
	Transactional: true,
	Needs:         tool.NeedStore,
	Errors:        []tool.Kind{tool.NotFound},
	Timeout:       timeout,
	Check: func(ctx context.Context, call *tool.Call, args deleteArgs) error {
		_, err := find(ctx, call, args.Collection) // nobody is asked about a collection that does not exist
		return err
	},
	Run: deleteVectors,
})

func deleteVectors(ctx context.Context, call *tool.Call, args deleteArgs) (*deleteResult, error) {
	c, err := find(ctx, call, args.Collection)
	if err != nil {
		return nil, err
	}
	rows, err := args.rows(ctx, call, c)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.ID
		if err := call.Store.Delete(ctx, rowsOf(c), r.ID, r.Revision); err != nil {
			return nil, err
		}
	}
	for part := range slices.Chunk(ids, maxChanges+1) {
		if err := record(ctx, call, c, part); err != nil {
			return nil, err
		}
	}
	return &deleteResult{fmt.Sprintf("Vectors deleted from %s: %d.", c.Value.Name, len(rows)), c.Value.Name, len(rows)}, nil
}

// rows returns the rows to delete.
func (args deleteArgs) rows(ctx context.Context, call *tool.Call, c tool.Record[stored]) (rows []tool.Row, err error) {
	ways := 0
	for _, given := range []bool{len(args.IDs) > 0, len(args.Filter) > 0, args.DeleteAll} {
		if given {
			ways++
		}
	}
	if ways != 1 {
		return nil, tool.Fail(tool.ValidationError, "give one of ids, filter and deleteAll")
	}
	if len(args.IDs) > 0 {
		return args.byID(ctx, call, c)
	}
	m := newMarker()
	wanted, err := m.filtered(args.Filter, args.Namespace)
	if err != nil {
		return nil, err
	}
	if len(args.Filter) > 0 && len(wanted) == 0 || args.Filter != nil && string(args.Filter) == "{}" {
		return nil, tool.Fail(tool.ValidationError, "filter is empty, which every vector fits; set deleteAll to delete all")
	}
	err = eachRow(ctx, call, c, func(page []tool.Row) error {
		for _, r := range page {
			found, _, err := read(r.Doc)
			if err != nil {
				return unreadable(err)
			}
			marks, err := m.of(found.Namespace, found.Metadata)
			if err != nil {
				return unreadable(err)
			}
			if !slices.ContainsFunc(wanted, func(w uint64) bool { return !slices.Contains(marks, w) }) {
				rows = append(rows, tool.Row{ID: r.ID, Revision: r.Revision})
			}
		}
		return nil
	})
	return rows, err
}

func (args deleteArgs) byID(ctx context.Context, call *tool.Call, c tool.Record[stored]) (rows []tool.Row, err error) {
	if len(args.IDs) > maxDeleted {
		return nil, tool.Fail(tool.ValidationError, "ids has %d ids, and may have %d", len(args.IDs), maxDeleted)
	}
	namespace := ""
	if args.Namespace != nil {
		namespace = *args.Namespace
	}
	seen := map[string]bool{}
	for _, id := range args.IDs {
		if seen[id] {
			continue
		}
		seen[id] = true
		found, err := rowsFor(ctx, call, c, namespace, id)
		if err != nil {
			return nil, err
		}
		rows = append(rows, found...)
	}
	if len(rows) == 0 {
		return nil, tool.Fail(tool.NotFound, "none of the ids is in the collection %s; semantic_search shows ids", c.Value.Name)
	}
	return rows, nil
}
