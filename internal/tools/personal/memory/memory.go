// Package memory holds the tools for what an assistant remembers about a person.
//
// A memory is stored once: a second one of the same content is merged into the first. Its
// importance decays while nothing reads it. Decay is computed from the time of the call;
// no row is rewritten for it.
package memory

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// Set is every tool in this package; each file adds its own.
var Set = tool.NewSet("Memory", "memory")

const timeout = 30 * time.Second

// kinds are the types of a memory.
var kinds = []string{"fact", "preference", "event", "skill"}

// stored is a memory in the store.
type stored struct {
	Content string   `json:"content" store:"search"`
	Type    string   `json:"type"`
	Tags    []string `json:"tags,omitempty" store:"search"`
	// Key is equal for contents that are the same memory.
	Key string `json:"key" store:"index"`
	// Importance is the importance on the day of the last access.
	Importance float64 `json:"importance"`
	// Accessed is that day, see [dayOf].
	Accessed int `json:"accessed"`
	// Strength orders memories by their importance on any one day, see [strength].
	Strength float64   `json:"strength" store:"index"`
	Created  time.Time `json:"created" store:"index"`
}

var memories = tool.NewCollection[stored]("memories")

// memory is a memory as a model sees it.
type memory struct {
	ID         string   `json:"id" doc:"For the memoryId of other tools."`
	Type       string   `json:"type" enum:"fact,preference,event,skill"`
	Content    string   `json:"content"`
	Importance float64  `json:"importance" doc:"From 0 to 1. It halves in 90 days without access, down to a tenth of what was set."`
	Tags       []string `json:"tags"`
	CreatedAt  string   `json:"createdAt"`
}

// brief is a memory without its content.
type brief struct {
	ID         string  `json:"id" doc:"For the memoryId of other tools."`
	Type       string  `json:"type" enum:"fact,preference,event,skill"`
	Importance float64 `json:"importance" doc:"From 0 to 1."`
}

func show(r tool.Record[stored], now time.Time) memory {
	v := r.Value
	return memory{
		ID: r.ID, Type: v.Type, Content: v.Content, Importance: v.importance(now), Tags: append([]string{}, v.Tags...),
		CreatedAt: v.Created.UTC().Format(time.RFC3339),
	}
}

func showBrief(r tool.Record[stored], now time.Time) brief {
	return brief{ID: r.ID, Type: r.Value.Type, Importance: r.Value.importance(now)}
}

// excerpt returns the beginning of a content, for messages.
func excerpt(content string) string { return textcut.Excerpt(content, 80) }

// input is a new memory.
type input struct {
	Content    string   `json:"content" doc:"What to remember, brief and complete in itself." min:"1" max:"900000"`
	Type       string   `json:"type" doc:"What kind of memory it is." enum:"fact,preference,event,skill"`
	Importance *float64 `json:"importance,omitempty" doc:"From 0 to 1: a higher one is recalled first and fades later." default:"0.5" min:"0" max:"1"`
	Tags       []string `json:"tags,omitempty" doc:"Tags to find it by." max:"50"`
}

// new returns the memory to store, or an error that names the wrong parameter.
func (in input) new(now time.Time) (stored, error) {
	v := stored{Content: in.Content, Type: in.Type, Created: now.UTC()}
	importance := 0.5
	if in.Importance != nil {
		importance = *in.Importance
	}
	switch {
	case strings.TrimSpace(in.Content) == "":
		return v, tool.Fail(tool.ValidationError, "content is missing or blank")
	case strings.ContainsRune(in.Content, 0):
		return v, tool.Fail(tool.ValidationError, "content holds the character NUL, which cannot be stored; leave it out")
	case !slices.Contains(kinds, in.Type):
		return v, tool.Fail(tool.ValidationError, "type is %q, and must be fact, preference, event or skill", in.Type)
	case importance < 0 || importance > 1:
		return v, tool.Fail(tool.ValidationError, "importance is %v, and must be from 0 to 1", importance)
	}
	for _, tag := range in.Tags {
		if strings.ContainsRune(tag, 0) {
			return v, tool.Fail(tool.ValidationError, "tags: %q holds the character NUL, which cannot be stored; leave it out", tag)
		}
	}
	v.Key = keyOf(in.Content)
	v.Tags = union(nil, in.Tags)
	v.set(importance, now)
	return v, nil
}

// union returns the tags of both lists without blanks, each once.
func union(tags, more []string) []string {
	all := slices.Clone(tags)
	for _, tag := range more {
		if tag = strings.TrimSpace(tag); tag != "" && !slices.Contains(all, tag) {
			all = append(all, tag)
		}
	}
	return all
}

// find returns a memory by its id.
func find(ctx context.Context, call *tool.Call, id string) (tool.Record[stored], error) {
	r, err := memories.Get(ctx, call.Store, strings.TrimSpace(id))
	if e := tool.AsError(err); e != nil && e.Kind == tool.NotFound {
		return r, tool.Fail(tool.NotFound, "Memory not found: %s; list_memories shows the memories with their ids", id)
	}
	return r, err
}
