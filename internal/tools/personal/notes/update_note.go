package notes

import (
	"context"
	"fmt"
	"strings"

	"github.com/helve-dev/helve/internal/lib/entry"
	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

type updateArgs struct {
	NoteID   string  `json:"noteId" doc:"The id of the note, as list_notes shows it." min:"1" max:"64"`
	Title    *string `json:"title,omitempty" doc:"The new title." min:"1"`
	Content  *string `json:"content,omitempty" doc:"The new text, in place of all of the old one."`
	Category *string `json:"category,omitempty" doc:"The new category; an empty text removes it." max:"100"`
}

type updateResult struct {
	Message string   `json:"message"`
	Note    note     `json:"note"`
	Changed []string `json:"changed" doc:"The parameters that changed something."`
}

var _ = tool.Add(Set, tool.Spec[updateArgs, *updateResult]{
	Name:          "update_note",
	Description:   "Change the title, text or category of a note, and return it with the names of what changed.",
	Tags:          []string{"edit note", "modify note", "change note"},
	Example:       `{"noteId":"k3f9q2x7m5ab","content":"- 300 g flour\n- 600 ml milk\n- 3 eggs"}`,
	Risk:          tool.Low,
	Confirmation:  tool.ConfirmNever,
	Mutates:       true,
	Idempotent:    true,
	Transactional: true,
	Needs:         tool.NeedStore,
	Errors:        []tool.Kind{tool.NotFound},
	Timeout:       timeout,
	Run:           updateNote,
})

func updateNote(ctx context.Context, call *tool.Call, args updateArgs) (*updateResult, error) {
	if args.Title == nil && args.Content == nil && args.Category == nil {
		return nil, tool.Fail(tool.ValidationError, "nothing to change was given: name at least one of title, content, category")
	}
	r, err := find(ctx, call, args.NoteID)
	if err != nil {
		return nil, err
	}
	changed := []string{}
	set := func(name string, field, value *string) {
		if value != nil && *field != *value {
			*field = *value
			changed = append(changed, name)
		}
	}
	set("title", &r.Value.Title, args.Title)
	set("content", &r.Value.Content, args.Content)
	set("category", &r.Value.Category, trimmed(args.Category))
	if err := entry.Required("title", r.Value.Title); err != nil {
		return nil, err
	}
	if len(changed) == 0 {
		return &updateResult{
			Message: fmt.Sprintf("Note %q is like that already; nothing changed.", textcut.Excerpt(r.Value.Title, 100)),
			Note:    show(r),
			Changed: changed,
		}, nil
	}
	if r, err = notes.Update(ctx, call.Store, r); err != nil {
		return nil, err
	}
	return &updateResult{
		Message: fmt.Sprintf("Note updated: %q (%s).", textcut.Excerpt(r.Value.Title, 100), strings.Join(changed, ", ")),
		Note:    show(r),
		Changed: changed,
	}, nil
}

func trimmed(text *string) *string {
	if text == nil {
		return nil
	}
	cut := strings.TrimSpace(*text)
	return &cut
}
