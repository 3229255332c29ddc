package notes

import (
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestBatchAddNotes(t *testing.T) {
	call := ann(t)
	got := play[batchResult](t, call, "batch_add_notes",
		`{"notes":[{"title":"one","content":"1"},{"title":"two","content":"2","tags":["x"]}]}`)
	if got.Message != "Saved 2 note(s)." || got.Count != 2 || got.Notes[1].Tags[0] != "x" || got.Results != nil {
		t.Errorf("result %+v", got)
	}
	const bad = `[{"title":"three","content":"3"},{"content":"no title"},{"title":"four","tags":"x"}]`
	tooltest.Run(t, Set, "batch_add_notes", call, []tooltest.Case{
		{Name: "all or none", Args: `{"notes":` + bad + `}`, Fails: tool.ValidationError, Message: "item 1 ("},
		{Name: "empty", Args: `{"notes":[]}`, Fails: tool.ValidationError, Message: "1 to 100"},
		{Name: "no list", Args: `{"notes":{}}`, Fails: tool.ValidationError, Message: "notes"},
	})
	each := play[batchResult](t, call, "batch_add_notes", `{"atomic":false,"notes":`+bad+`}`)
	if each.Count != 1 || len(each.Results) != 3 || each.Results[0].ID != each.Notes[0].ID || each.Results[1].Message == "" ||
		each.Results[2].Status != "error" {
		t.Errorf("each by itself: %+v", each)
	}
	if total := play[listResult](t, call, "list_notes", `{"limit":5}`).Total; total != 3 {
		t.Errorf("%d notes are stored, want 3", total)
	}
}
