package notes

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

var _ = tool.Add(Set, tool.Spec[input, *one]{
	Name:          "add_note",
	Description:   "Write a note for the person, to keep a text such as an idea, minutes or a recipe, and return it with its id.",
	Tags:          []string{"write", "note", "text", "document", "create note"},
	Example:       `{"title":"Pancakes","content":"- 250 g flour\n- 500 ml milk\n- 2 eggs","category":"recipes","tags":["breakfast"]}`,
	Risk:          tool.Low,
	Confirmation:  tool.ConfirmNever,
	Mutates:       true,
	Transactional: true,
	Needs:         tool.NeedStore,
	Errors:        []tool.Kind{},
	Timeout:       timeout,
	Run:           addNote,
})

func addNote(ctx context.Context, call *tool.Call, in input) (*one, error) {
	v, err := in.new()
	if err != nil {
		return nil, err
	}
	r, err := notes.Insert(ctx, call.Store, v)
	if err != nil {
		return nil, err
	}
	return &one{Message: fmt.Sprintf("Note saved: %q.", textcut.Excerpt(v.Title, 100)), Note: show(r)}, nil
}
