package bookmarks

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestListBookmarks(t *testing.T) {
	call := ann(t)
	add(t, call, `{"url":"https://go.dev/doc","title":"Go docs","category":"work"}`)
	add(t, call, `{"url":"https://example.com/milk","title":"Käse 100%_","isFavorite":true,"description":"cheese"}`)
	add(t, call, `{"url":"https://example.org/","title":"docs of Milk","category":"work","tags":["x"]}`)
	for args, want := range map[string]string{
		`{}`:                         "docs of Milk, Käse 100%_, Go docs",
		`{"category":"work"}`:        "docs of Milk, Go docs",
		`{"favorite":true}`:          "Käse 100%_",
		`{"favorite":false}`:         "docs of Milk, Go docs",
		`{"search":"MIL"}`:           "docs of Milk, Käse 100%_",
		`{"search":"kase"}`:          "Käse 100%_",
		`{"search":"example.com"}`:   "Käse 100%_",
		`{"search":"doc go"}`:        "Go docs",
		`{"search":"cheese"}`:        "",
		`{"search":"%"}`:             "",
		`{"search":"\" OR 1=1 --"}`:  "",
		`{"search":"milk* NEAR(a)"}`: "",
		`{"category":"' OR ''='"}`:   "",
		`{"limit":1}`:                "docs of Milk",
		`{"limit":1,"offset":1}`:     "Käse 100%_",
		`{"offset":-7}`:              "docs of Milk, Käse 100%_, Go docs",
		`{"offset":999999999999}`:    "",
	} {
		got := play[listResult](t, call, "list_bookmarks", args)
		var titles []string
		for _, v := range got.Bookmarks {
			titles = append(titles, v.Title)
		}
		if list := strings.Join(titles, ", "); list != want || got.Count != len(titles) || got.Truncated != strings.Contains(args, `"limit":1`) {
			t.Errorf("%s lists %q (%+v), want %q", args, list, got.Counts, want)
		}
	}
	other := call
	other.User = "bob"
	tooltest.Run(t, Set, "list_bookmarks", other, []tooltest.Case{
		{
			Name: "nothing of others",
			Args: `{"limit":5}`,
			Want: `{"message":"0 bookmark(s) found.","bookmarks":[],"total":0,"count":0,"truncated":false}`,
		},
		{Name: "offset", Args: `{"offset":1e99}`, Fails: tool.ValidationError, Message: "offset"},
	})
	got := play[listResult](t, call, "list_bookmarks", `{"limit":2}`)
	if got.Total != 3 || !got.Truncated || !strings.HasPrefix(got.Message, "2 of 3 bookmark(s)") {
		t.Errorf("of 3: %+v, %q", got.Counts, got.Message)
	}
}
