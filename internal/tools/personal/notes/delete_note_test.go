package notes

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestDeleteNote(t *testing.T) {
	call := ann(t)
	id := add(t, call, `{"title":"Pancakes","content":"flour"}`)
	add(t, call, `{"title":"stays","content":"flour"}`)
	got := play[deleteResult](t, call, "delete_note", quoted(id, ""))
	if got.Message != `Note deleted: "Pancakes".` || got.Deleted.Content != "flour" {
		t.Errorf("result %+v", got)
	}
	if left := play[listResult](t, call, "list_notes", `{"search":"flour","limit":5}`); left.Total != 1 || left.Notes[0].Title != "stays" {
		t.Errorf("left: %+v", left)
	}
	tooltest.Run(t, Set, "delete_note", call, []tooltest.Case{{Name: "again", Args: quoted(id, ""), Fails: tool.NotFound}})
	unknown(t, "delete_note", "")
}
