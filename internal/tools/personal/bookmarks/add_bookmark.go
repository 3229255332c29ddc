package bookmarks

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/tool"
)

// one is the result of add_bookmark.
type one struct {
	Message  string `json:"message"`
	Bookmark view   `json:"bookmark"`
}

var _ = tool.Add(Set, tool.Spec[Input, *one]{
	Name: "add_bookmark",
	Description: "Save the address of a page as a bookmark, to find it again later, and return it with its id; " +
		"without a title, the page's own is used.",
	Tags:          []string{"bookmark", "favorite", "save", "link", "url", "site", "web"},
	Example:       `{"url":"https://example.com/","category":"reading","tags":["examples"]}`,
	Risk:          tool.Low,
	Confirmation:  tool.ConfirmNever,
	Mutates:       true,
	Transactional: true,
	OpenWorld:     true,
	Scopes:        tool.Scopes{Hosts: []string{"*"}},
	Needs:         tool.NeedStore | tool.NeedHTTP,
	Errors:        []tool.Kind{},
	Timeout:       timeout,
	Run:           addBookmark,
})

func addBookmark(ctx context.Context, call *tool.Call, in Input) (*one, error) {
	v, err := in.Bookmark()
	if err != nil {
		return nil, err
	}
	nameAll(ctx, call.HTTP, []*Bookmark{&v})
	r, err := Collection.Insert(ctx, call.Store, v)
	if err != nil {
		return nil, err
	}
	return &one{Message: fmt.Sprintf("Bookmark added: %q.", v.Title), Bookmark: show(r)}, nil
}
