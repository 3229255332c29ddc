package bookmarks

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/tool"
)

type deleteArgs struct {
	BookmarkID string `json:"bookmarkId" doc:"The id of the bookmark, as list_bookmarks shows it." min:"1" max:"64"`
}

type deleteResult struct {
	Message string `json:"message"`
	Deleted view   `json:"deleted" doc:"The bookmark as it was."`
}

var _ = tool.Add(Set, tool.Spec[deleteArgs, *deleteResult]{
	Name:          "delete_bookmark",
	Description:   "Delete a bookmark for ever, and return what was deleted.",
	Tags:          []string{"remove bookmark", "delete bookmark"},
	Example:       `{"bookmarkId":"k3f9q2x7m5ab"}`,
	Risk:          tool.Medium,
	Mutates:       true,
	Destructive:   true,
	Transactional: true,
	Needs:         tool.NeedStore,
	Errors:        []tool.Kind{tool.NotFound},
	Timeout:       timeout,
	Check: func(ctx context.Context, call *tool.Call, args deleteArgs) error {
		_, err := find(ctx, call, args.BookmarkID) // nobody is asked about an id that does not exist
		return err
	},
	Run: deleteBookmark,
})

func deleteBookmark(ctx context.Context, call *tool.Call, args deleteArgs) (*deleteResult, error) {
	r, err := find(ctx, call, args.BookmarkID)
	if err != nil {
		return nil, err
	}
	if err := Collection.Delete(ctx, call.Store, r); err != nil {
		return nil, err
	}
	return &deleteResult{Message: fmt.Sprintf("Bookmark deleted: %q.", r.Value.Title), Deleted: show(r)}, nil
}
