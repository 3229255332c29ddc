// Package notes holds the tools for a person's notes.
package notes

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/entry"
	"github.com/helve-dev/helve/tool"
)

// Set is every tool in this package; each file adds its own.
var Set = tool.NewSet("Notes", "notes")

const timeout = 30 * time.Second

// stored is a note in the store.
type stored struct {
	Title    string   `json:"title" store:"search"`
	Content  string   `json:"content" store:"search"`
	Category string   `json:"category,omitempty"`
	Tags     []string `json:"tags,omitempty" store:"search"`
	IsPinned bool     `json:"isPinned,omitempty"`
}

var notes = tool.NewCollection[stored]("notes")

// note is a note as a model sees it.
type note struct {
	ID          string   `json:"id" doc:"For the noteId of other tools."`
	Title       string   `json:"title"`
	Content     string   `json:"content" doc:"Markdown."`
	ContentType string   `json:"contentType" enum:"markdown"`
	Category    string   `json:"category,omitempty"`
	Tags        []string `json:"tags"`
	IsPinned    bool     `json:"isPinned"`
	CreatedAt   string   `json:"createdAt"`
	UpdatedAt   string   `json:"updatedAt"`
}

// one is the result of a tool that deals with one note.
type one struct {
	Message string `json:"message"`
	Note    note   `json:"note"`
}

func show(r tool.Record[stored]) note {
	v := r.Value
	return note{
		ID: r.ID, Title: v.Title, Content: v.Content, ContentType: "markdown", Category: v.Category, Tags: append([]string{}, v.Tags...),
		IsPinned: v.IsPinned, CreatedAt: r.CreatedAt.Format(time.RFC3339), UpdatedAt: r.UpdatedAt.Format(time.RFC3339),
	}
}

// input is a new note.
type input struct {
	Title    string   `json:"title" doc:"The title." min:"1"`
	Content  string   `json:"content" doc:"The text, which may be Markdown."`
	Category string   `json:"category,omitempty" doc:"A category, such as ideas or meeting-notes." max:"100"`
	Tags     []string `json:"tags,omitempty" doc:"Tags to find it by." max:"50"`
	IsPinned bool     `json:"isPinned,omitempty" doc:"Whether lists show it before others."`
}

// new returns the note to store, or what is wrong with the input.
func (in input) new() (stored, error) {
	v := stored{Title: in.Title, Content: in.Content, Category: strings.TrimSpace(in.Category), IsPinned: in.IsPinned}
	for _, tag := range in.Tags {
		if tag = strings.TrimSpace(tag); tag != "" && !slices.Contains(v.Tags, tag) {
			v.Tags = append(v.Tags, tag)
		}
	}
	return v, entry.Required("title", v.Title)
}

// find returns a note by its id.
func find(ctx context.Context, call *tool.Call, id string) (tool.Record[stored], error) {
	r, err := notes.Get(ctx, call.Store, strings.TrimSpace(id))
	if e := tool.AsError(err); e != nil && e.Kind == tool.NotFound {
		return r, tool.Fail(tool.NotFound, "Note not found: %s; list_notes shows the notes with their ids", id)
	}
	return r, err
}
