package notes

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestAddNote(t *testing.T) {
	call := ann(t)
	got := play[one](t, call, "add_note",
		`{"title":" Pancakes ","content":"# Flour\n","category":"recipes","tags":["a"," b ","a",""],"isPinned":true}`)
	want := one{Message: `Note saved: " Pancakes ".`, Note: note{
		Title: " Pancakes ", Content: "# Flour\n", ContentType: "markdown", Category: "recipes", Tags: []string{"a", "b"}, IsPinned: true,
	}}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(note{}, "ID", "CreatedAt", "UpdatedAt")); diff != "" || len(got.Note.ID) != 12 {
		t.Errorf("result %+v (-want +got):\n%s", got, diff)
	}
	tooltest.Run(t, Set, "add_note", call, []tooltest.Case{
		{Name: "no content", Args: `{"title":"x"}`, Fails: tool.ValidationError, Message: "content"},
		{Name: "blank title", Args: `{"title":" ","content":""}`, Fails: tool.ValidationError, Message: "title is missing or blank"},
		{Name: "NUL", Args: `{"title":"x","content":"a\u0000b"}`, Fails: tool.ValidationError, Message: "NUL"},
		{Name: "1 MB", Args: `{"title":"x","content":"` + strings.Repeat("word ", 200_000) + `"}`, Check: func(t *testing.T, res tool.Result) {
			if len(res.Value) < 1_000_000 {
				t.Errorf("%d bytes come back", len(res.Value))
			}
		}},
		{Name: "5 MB", Args: `{"title":"x","content":"` + strings.Repeat("x", 5<<20) + `"}`, Fails: tool.ValidationError},
	})
}
