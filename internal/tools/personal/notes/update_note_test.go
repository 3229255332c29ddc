package notes

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestUpdateNote(t *testing.T) {
	call := ann(t)
	id := add(t, call, `{"title":"Pancakes","content":"flour","category":"recipes","tags":["x"],"isPinned":true}`)
	for _, tt := range []struct{ more, changed string }{
		{`,"title":"Waffles","content":"butter"`, "title content"},
		{`,"title":"Waffles"`, ""},
		{`,"category":""`, "category"},
	} {
		got := play[updateResult](t, call, "update_note", quoted(id, tt.more))
		if changed := strings.Join(got.Changed, " "); changed != tt.changed {
			t.Errorf("%s: changed %q, want %q", tt.more, changed, tt.changed)
		}
	}
	found := play[listResult](t, call, "list_notes", `{"search":"butter","limit":5}`)
	if found.Total != 1 || found.Notes[0].Title != "Waffles" || !found.Notes[0].IsPinned || found.Notes[0].Tags[0] != "x" {
		t.Errorf("the new text finds %+v", found)
	}
	if old := play[listResult](t, call, "list_notes", `{"search":"flour","limit":5}`); old.Total != 0 {
		t.Errorf("the old text finds %+v", old)
	}
	tooltest.Run(t, Set, "update_note", call, []tooltest.Case{
		{Name: "nothing", Args: quoted(id, ""), Fails: tool.ValidationError, Message: "nothing to change"},
		{Name: "blank title", Args: quoted(id, `,"title":" "`), Fails: tool.ValidationError, Message: "title is missing or blank"},
	})
	unknown(t, "update_note", `,"title":"x"`)
}
