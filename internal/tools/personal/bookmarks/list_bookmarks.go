package bookmarks

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/internal/lib/listing"
	"github.com/helve-dev/helve/tool"
)

type listArgs struct {
	Category string `json:"category,omitempty" doc:"Only bookmarks of this category."`
	Favorite *bool  `json:"favorite,omitempty" doc:"Only favorites, or only bookmarks that are none."`
	Search   string `json:"search,omitempty" doc:"Words that title or address must have; the beginning of a word is enough."`
	Limit    int    `json:"limit,omitempty" doc:"The most bookmarks to return, 1 to 50."`
	Offset   int    `json:"offset,omitempty" doc:"How many bookmarks to skip."`
}

type listResult struct {
	Message   string `json:"message"`
	Bookmarks []view `json:"bookmarks" doc:"The newest first."`

	listing.Counts
}

var _ = tool.Add(Set, tool.Spec[listArgs, *listResult]{
	Name: "list_bookmarks",
	Description: "List the person's bookmarks, newest first, by category, favorites or words of title and address, and return them with " +
		"their ids.",
	Tags:         []string{"bookmarks", "favorites", "links", "list"},
	Example:      `{"search":"example","limit":5}`,
	Risk:         tool.Low,
	Confirmation: tool.ConfirmNever,
	Mutates:      false,
	Idempotent:   true,
	Limit:        &tool.Limit{Param: "limit", Default: 20, Max: 50},
	Needs:        tool.NeedStore,
	Errors:       []tool.Kind{},
	Timeout:      timeout,
	Run:          listBookmarks,
})

func listBookmarks(ctx context.Context, call *tool.Call, args listArgs) (*listResult, error) {
	q := tool.Query{Text: args.Search, Limit: args.Limit}
	if args.Category != "" {
		q.Where = append(q.Where, tool.Where("category", tool.Equal, args.Category))
	}
	if args.Favorite != nil {
		q.Where = append(q.Where, tool.Where("isFavorite", tool.Equal, *args.Favorite))
	}
	found, counts, err := listing.Read(ctx, Collection, call.Store, q, args.Offset)
	if err != nil {
		return nil, err
	}
	res := &listResult{Bookmarks: make([]view, len(found)), Counts: counts}
	for i, r := range found {
		res.Bookmarks[i] = show(r)
	}
	res.Message = fmt.Sprintf("%d bookmark(s) found.", res.Total)
	if res.Truncated {
		res.Message = fmt.Sprintf("%d of %d bookmark(s); narrow the list by category or search, or set offset, to see others.",
			res.Count, res.Total)
	}
	return res, nil
}
