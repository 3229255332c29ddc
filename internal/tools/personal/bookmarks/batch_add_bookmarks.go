package bookmarks

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/internal/lib/batch"
	"github.com/helve-dev/helve/tool"
)

// item is one bookmark of a batch. Its error is reported with those of the others.
type item struct {
	Input

	wrong error
}

// UnmarshalJSON implements [json.Unmarshaler].
func (it *item) UnmarshalJSON(data []byte) error {
	it.wrong = batch.Decode(data, &it.Input)
	return nil
}

type batchArgs struct {
	Bookmarks []item `json:"bookmarks" doc:"The bookmarks, 1 to 100." min:"1" max:"100"`
	Atomic    *bool  `json:"atomic,omitempty" doc:"Whether all bookmarks are added or none; if false, each is added that can be. The default is true."`
}

type batchResult struct {
	Message   string          `json:"message"`
	Bookmarks []view          `json:"bookmarks" doc:"The bookmarks that were added."`
	Count     int             `json:"count" doc:"How many were added."`
	Results   []batch.Outcome `json:"results,omitempty" doc:"The outcome of each bookmark in the order given, if atomic is false."`
}

var _ = tool.Add(Set, tool.Spec[batchArgs, *batchResult]{
	Name:          "batch_add_bookmarks",
	Description:   "Save several bookmarks in one call, all or none unless atomic is false, and return them with their ids.",
	Tags:          []string{"bulk bookmarks", "multiple bookmarks"},
	Example:       `{"bookmarks":[{"url":"https://example.com/","category":"reading"},{"url":"https://go.dev/doc/","title":"Go documentation","isFavorite":true}]}`,
	Risk:          tool.Low,
	Confirmation:  tool.ConfirmNever,
	Mutates:       true,
	Transactional: true,
	OpenWorld:     true,
	Scopes:        tool.Scopes{Hosts: []string{"*"}},
	Loose:         []string{"bookmarks"},
	Needs:         tool.NeedStore | tool.NeedHTTP,
	Errors:        []tool.Kind{},
	Timeout:       timeout,
	Run:           batchAddBookmarks,
})

func batchAddBookmarks(ctx context.Context, call *tool.Call, args batchArgs) (*batchResult, error) {
	atomic := args.Atomic == nil || *args.Atomic
	values, wrong, good := make([]Bookmark, len(args.Bookmarks)), make([]error, len(args.Bookmarks)), []*Bookmark{}
	for i, it := range args.Bookmarks {
		if wrong[i] = it.wrong; wrong[i] == nil {
			values[i], wrong[i] = it.Bookmark()
		}
		if wrong[i] == nil {
			good = append(good, &values[i])
		}
	}
	if len(values) <= batch.MaxItems && (len(good) == len(values) || !atomic) {
		nameAll(ctx, call.HTTP, good)
	}
	res := &batchResult{Bookmarks: []view{}}
	outcomes, err := batch.Create(len(values), atomic, func(i int) error { return wrong[i] }, func(i int) (string, error) {
		r, err := Collection.Insert(ctx, call.Store, values[i])
		if err == nil {
			res.Bookmarks = append(res.Bookmarks, show(r))
		}
		return r.ID, err
	})
	if err != nil {
		return nil, err
	}
	res.Count = len(res.Bookmarks)
	res.Message = fmt.Sprintf("Added %d bookmark(s).", res.Count)
	if !atomic {
		res.Results = outcomes
		res.Message = fmt.Sprintf("Added %d of %d bookmark(s); results has the outcome of each.", res.Count, len(values))
	}
	return res, nil
}
