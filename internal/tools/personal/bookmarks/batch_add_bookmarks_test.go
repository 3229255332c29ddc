package bookmarks

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/lib/batch"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestBatchAddBookmarks(t *testing.T) {
	call := ann(t)
	got := play[batchResult](t, call, "batch_add_bookmarks",
		`{"bookmarks":[{"url":"https://go.dev/"},{"url":"https://example.com/","title":"two"}]}`)
	if got.Message != "Added 2 bookmark(s)." || got.Count != 2 || got.Bookmarks[0].Title != "The Go Language" ||
		got.Bookmarks[1].Title != "two" || got.Results != nil {
		t.Errorf("result %+v", got)
	}
	const bad = `[{"url":"https://go.dev/"},{"url":" "},{"title":1},{"url":"go.dev"},7,{"url":"https://go.dev/","title":"a\u0000b"}]`
	good := strings.Repeat(`{"url":"https://go.dev/","title":"x"},`, 99)
	tooltest.Run(t, Set, "batch_add_bookmarks", call, []tooltest.Case{
		{
			Name:    "all or none",
			Args:    `{"bookmarks":` + bad + `}`,
			Fails:   tool.ValidationError,
			Message: "item 1 (counted from 0): url is missing or blank; nothing was created",
		},
		{
			Name:    "the last of 100",
			Args:    `{"bookmarks":[` + good + `{"url":""}]}`,
			Fails:   tool.ValidationError,
			Message: "item 99 (counted from 0): url",
		},
		{
			Name:    "NUL in the last of 100",
			Args:    `{"bookmarks":[` + good + `{"url":"https://go.dev/","title":"\u0000"}]}`,
			Fails:   tool.ValidationError,
			Message: "item 99 (counted from 0)",
		},
		{Name: "empty", Args: `{"bookmarks":[]}`, Fails: tool.ValidationError, Message: "1 to 100"},
		{Name: "too many", Args: `{"bookmarks":[` + good + good[:len(good)-1] + `]}`, Fails: tool.ValidationError, Message: "not 198"},
		{Name: "no list", Args: `{"bookmarks":"x"}`, Fails: tool.ValidationError, Message: "bookmarks"},
		{Name: "missing", Args: `{}`, Fails: tool.ValidationError, Message: "bookmarks"},
	})
	if got := play[listResult](t, call, "list_bookmarks", `{}`).Total; got != 2 {
		t.Fatalf("%d bookmarks are stored, want 2", got)
	}
	each := play[batchResult](t, call, "batch_add_bookmarks", `{"atomic":false,"bookmarks":`+bad+`}`)
	if each.Count != 1 || each.Message != "Added 1 of 6 bookmark(s); results has the outcome of each." ||
		each.Bookmarks[0].Title != "The Go Language" {
		t.Errorf("each by itself: %+v", each)
	}
	var statuses []string
	for _, o := range each.Results {
		statuses = append(statuses, o.Status+" "+o.ErrorType)
		if (o.Status == "error") != (o.Message != "") {
			t.Errorf("outcome %+v", o)
		}
	}
	failed := "error validation_error"
	if diff := cmp.Diff([]string{"success ", failed, failed, failed, failed, failed}, statuses); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	if each.Results[0] != (batch.Outcome{Status: "success", ID: each.Bookmarks[0].ID}) {
		t.Errorf("first outcome %+v", each.Results[0])
	}
}
