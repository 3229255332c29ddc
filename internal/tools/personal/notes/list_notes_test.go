package notes

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool/tooltest"
)

func TestListNotes(t *testing.T) {
	call := ann(t)
	add(t, call, `{"title":"first","content":"Flour and milk","category":"recipes","isPinned":true}`)
	add(t, call, `{"title":"second","content":"flowers","tags":["garden"]}`)
	add(t, call, `{"title":"third","content":"milk teeth","category":"family"}`)
	for args, want := range map[string]string{
		`{"limit":20}`:                               "first third second",
		`{"limit":2}`:                                "first third",
		`{"limit":20,"pinned":true}`:                 "first",
		`{"limit":20,"pinned":false}`:                "third second",
		`{"limit":20,"category":"family"}`:           "third",
		`{"limit":20,"search":"flo"}`:                "first second",
		`{"limit":20,"search":"MILK"}`:               "first third",
		`{"limit":20,"search":"garden"}`:             "second",
		`{"limit":20,"search":"milk","pinned":true}`: "first",
		`{"limit":20,"search":"*"}`:                  "",
	} {
		got := play[listResult](t, call, "list_notes", args)
		var titles []string
		for _, one := range got.Notes {
			titles = append(titles, one.Title)
		}
		if list := strings.Join(titles, " "); list != want || got.Count != len(titles) || got.Truncated != (got.Total > got.Count) {
			t.Errorf("%s lists %q of %d, want %q", args, list, got.Total, want)
		}
	}
	call.User = "bob"
	tooltest.Run(t, Set, "list_notes", call, []tooltest.Case{
		{Name: "nothing of others", Args: `{"limit":5}`, Want: `{"message":"0 note(s) found.","notes":[],"total":0,"count":0,"truncated":false}`},
	})
}
