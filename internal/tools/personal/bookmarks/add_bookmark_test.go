package bookmarks

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestAddBookmark(t *testing.T) {
	call := ann(t)
	got := play[one](t, call, "add_bookmark",
		`{"url":"https://example.com/x","title":" Ex ","description":"why","category":"reading","tags":["a","b","a"],"isFavorite":true}`)
	want := one{Message: `Bookmark added: " Ex ".`, Bookmark: view{
		URL:         "https://example.com/x",
		Title:       " Ex ",
		Description: "why",
		Category:    "reading",
		Tags:        []string{"a", "b"},
		IsFavorite:  true,
	}}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(view{}, "ID", "CreatedAt", "UpdatedAt")); diff != "" || got.Bookmark.ID == "" ||
		got.Bookmark.CreatedAt == "" {
		t.Errorf("result %+v (-want +got):\n%s", got, diff)
	}
	if got := play[one](t, call, "add_bookmark", `{"url":"https://go.dev/"}`).Bookmark; got.Title != "The Go Language" || got.Tags == nil {
		t.Errorf("without a title: %+v, want that of the page", got)
	}
	if got := play[one](t, call, "add_bookmark", `{"url":"https://away.example/x"}`).Bookmark; got.Title != "away.example" {
		t.Errorf("of a page that does not answer: title %q, want its host", got.Title)
	}
	tooltest.Run(t, Set, "add_bookmark", call, []tooltest.Case{
		{Name: "no url", Args: `{}`, Fails: tool.ValidationError, Message: "url"},
		{Name: "no scheme", Args: `{"url":"example.com"}`, Fails: tool.ValidationError, Message: "https://example.com/page"},
		{Name: "code", Args: `{"url":"javascript:alert(1)"}`, Fails: tool.ValidationError, Message: "javascript:"},
		{
			Name:    "long title",
			Args:    `{"url":"https://go.dev/","title":"` + strings.Repeat("x", 950_000) + `"}`,
			Fails:   tool.ValidationError,
			Message: "title has 950000 bytes",
		},
		{Name: "NUL", Args: `{"url":"https://go.dev/","title":"a\u0000b"}`, Fails: tool.ValidationError, Message: "NUL"},
		{Name: "tags", Args: `{"url":"https://go.dev/","tags":"a"}`, Fails: tool.ValidationError, Message: "tags"},
		{Name: "emoji and right-to-left", Args: `{"url":"https://go.dev/","title":"🛒 שלום ' OR 1=1 --"}`,
			Check: func(t *testing.T, res tool.Result) {
				if !strings.Contains(string(res.Value), "🛒 שלום ' OR 1=1 --") {
					t.Errorf("result %s", res.Value)
				}
			}},
	})
	if got := play[listResult](t, call, "list_bookmarks", `{}`).Total; got != 4 {
		t.Errorf("%d bookmarks are stored, want 4", got)
	}
}
