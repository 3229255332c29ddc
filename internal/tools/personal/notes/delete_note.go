package notes

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

type idArgs struct {
	NoteID string `json:"noteId" doc:"The id of the note, as list_notes shows it." min:"1" max:"64"`
}

// deleteResult is the result of delete_note.
type deleteResult struct {
	Message string `json:"message"`
	Deleted note   `json:"deleted" doc:"The note as it was."`
}

var _ = tool.Add(Set, tool.Spec[idArgs, *deleteResult]{
	Name:          "delete_note",
	Description:   "Delete a note for ever, and return what was deleted.",
	Tags:          []string{"remove note", "delete note"},
	Example:       `{"noteId":"k3f9q2x7m5ab"}`,
	Risk:          tool.Medium,
	Mutates:       true,
	Destructive:   true,
	Transactional: true,
	Needs:         tool.NeedStore,
	Errors:        []tool.Kind{tool.NotFound},
	Timeout:       timeout,
	Check: func(ctx context.Context, call *tool.Call, args idArgs) error {
		_, err := find(ctx, call, args.NoteID) // nobody is asked about an id that does not exist
		return err
	},
	Run: deleteNote,
})

func deleteNote(ctx context.Context, call *tool.Call, args idArgs) (*deleteResult, error) {
	r, err := find(ctx, call, args.NoteID)
	if err != nil {
		return nil, err
	}
	if err := notes.Delete(ctx, call.Store, r); err != nil {
		return nil, err
	}
	return &deleteResult{Message: fmt.Sprintf("Note deleted: %q.", textcut.Excerpt(r.Value.Title, 100)), Deleted: show(r)}, nil
}
