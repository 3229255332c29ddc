package memory

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/internal/lib/listing"
	"github.com/helve-dev/helve/tool"
)

type listArgs struct {
	Type          string  `json:"type,omitempty" doc:"Only memories of this type." enum:"fact,preference,event,skill"`
	MinImportance float64 `json:"minImportance,omitempty" doc:"Only memories of this importance or a higher one, as it is now." min:"0" max:"1"`
	Limit         int     `json:"limit,omitempty" doc:"The most memories to return, 1 to 50."`
	Offset        int     `json:"offset,omitempty" doc:"How many memories to skip."`
}

type listResult struct {
	Message  string   `json:"message"`
	Memories []memory `json:"memories" doc:"The newest first."`

	listing.Counts
}

var _ = tool.Add(Set, tool.Spec[listArgs, *listResult]{
	Name: "list_memories",
	Description: "List what is remembered about the person, newest first, by type or least importance, and return it with its ids; " +
		"to search for something, use recall.",
	Tags:         []string{"memories", "records", "list", "show", "know about me", "remember about me"},
	Example:      `{"type":"preference","minImportance":0.3}`,
	Risk:         tool.Low,
	Confirmation: tool.ConfirmNever,
	Mutates:      false,
	Idempotent:   true,
	Limit:        &tool.Limit{Param: "limit", Default: 20, Max: 50},
	Needs:        tool.NeedStore,
	Errors:       []tool.Kind{},
	Timeout:      timeout,
	Run:          listMemories,
})

func listMemories(ctx context.Context, call *tool.Call, args listArgs) (*listResult, error) {
	now := call.Clock.Now()
	q := tool.Query{Limit: args.Limit}
	if args.Type != "" {
		q.Where = append(q.Where, tool.Where("type", tool.Equal, args.Type))
	}
	read := listing.Read[stored]
	switch least := lowest(args.MinImportance); {
	case least <= 0:
	case least <= floor: // a memory at its floor may match
		read = (&faded{least: least, now: now}).read
	default:
		q.Where = append(q.Where, tool.Where("strength", tool.GreaterEqual, strength(least, dayOf(now))))
	}
	found, counts, err := read(ctx, memories, call.Store, q, args.Offset)
	if err != nil {
		return nil, err
	}
	res := &listResult{Memories: make([]memory, len(found)), Counts: counts}
	for i, r := range found {
		res.Memories[i] = show(r, now)
	}
	switch {
	case res.Total == 0:
		res.Message = "No memories found."
	case res.Truncated:
		res.Message = fmt.Sprintf("%d of %d memory(ies), the newest first; set offset to see others, or use recall to search.",
			res.Count, res.Total)
	default:
		res.Message = fmt.Sprintf("%d memory(ies) found.", res.Total)
	}
	return res, nil
}
