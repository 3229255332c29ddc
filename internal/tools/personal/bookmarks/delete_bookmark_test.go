package bookmarks

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestDeleteBookmark(t *testing.T) {
	call := ann(t)
	id := add(t, call, `{"url":"https://go.dev/","title":"Go","tags":["x"]}`)
	add(t, call, `{"url":"https://example.com/","title":"stays"}`)
	other := call
	other.User = "bob"
	tooltest.Run(t, Set, "delete_bookmark", other, []tooltest.Case{
		{Name: "another person's", Args: `{"bookmarkId":"` + id + `"}`, Fails: tool.NotFound, Message: "Bookmark not found: " + id},
	})
	got := play[deleteResult](t, call, "delete_bookmark", `{"bookmarkId":" `+id+` "}`)
	if got.Message != `Bookmark deleted: "Go".` || got.Deleted.ID != id || got.Deleted.Tags[0] != "x" {
		t.Errorf("result %+v", got)
	}
	if left := play[listResult](t, call, "list_bookmarks", `{}`); left.Total != 1 || left.Bookmarks[0].Title != "stays" {
		t.Errorf("left: %+v", left)
	}
	tooltest.Run(t, Set, "delete_bookmark", call, []tooltest.Case{
		{Name: "again", Args: `{"bookmarkId":"` + id + `"}`, Fails: tool.NotFound, Message: "list_bookmarks"},
		{Name: "hostile id", Args: `{"bookmarkId":"' OR 1=1 --"}`, Fails: tool.NotFound},
		{Name: "no id", Args: `{}`, Fails: tool.ValidationError, Message: "bookmarkId"},
		{Name: "a number", Args: `{"bookmarkId":-1}`, Fails: tool.ValidationError, Message: "bookmarkId"},
	})
}
