package notes

import (
	"context"
	"fmt"
	"strings"

	"github.com/helve-dev/helve/internal/lib/listing"
	"github.com/helve-dev/helve/tool"
)

type listArgs struct {
	Category string `json:"category,omitempty" doc:"Only notes of this category."`
	Pinned   *bool  `json:"pinned,omitempty" doc:"Only notes that are pinned, or only those that are not."`
	Search   string `json:"search,omitempty" doc:"Words that title, text or tags must have; the beginning of a word is enough."`
	Limit    int    `json:"limit,omitempty" doc:"The most notes to return, 1 to 50."`
	Offset   int    `json:"offset,omitempty" doc:"How many notes to skip."`
}

type listResult struct {
	Message string `json:"message"`
	Notes   []note `json:"notes" doc:"Pinned ones first, then the newest."`

	listing.Counts
}

var _ = tool.Add(Set, tool.Spec[listArgs, *listResult]{
	Name: "list_notes",
	Description: "List the person's notes, pinned ones first, by category or by words of title, text and tags, and return them with " +
		"their ids.",
	Tags:         []string{"notes", "list", "show", "writings", "documents"},
	Example:      `{"search":"flour","limit":5}`,
	Risk:         tool.Low,
	Confirmation: tool.ConfirmNever,
	Mutates:      false,
	Idempotent:   true,
	Limit:        &tool.Limit{Param: "limit", Default: 20, Max: 50},
	Needs:        tool.NeedStore,
	Errors:       []tool.Kind{},
	Timeout:      timeout,
	Run:          listNotes,
})

func listNotes(ctx context.Context, call *tool.Call, args listArgs) (*listResult, error) {
	q := tool.Query{
		Text: args.Search, Limit: args.Limit,
		Order: []tool.Order{{Field: "isPinned", Down: true}, {Field: tool.FieldCreated, Down: true}},
	}
	if category := strings.TrimSpace(args.Category); category != "" {
		q.Where = append(q.Where, tool.Where("category", tool.Equal, category))
	}
	if args.Pinned != nil {
		q.Where = append(q.Where, tool.Where("isPinned", tool.Equal, *args.Pinned))
	}
	found, counts, err := listing.Read(ctx, notes, call.Store, q, args.Offset)
	if err != nil {
		return nil, err
	}
	res := &listResult{Notes: make([]note, len(found)), Counts: counts}
	for i, r := range found {
		res.Notes[i] = show(r)
	}
	res.Message = fmt.Sprintf("%d note(s) found.", res.Total)
	if res.Truncated {
		res.Message = fmt.Sprintf("%d of %d note(s); narrow the list by category or search to see others, or set offset.", res.Count, res.Total)
	}
	return res, nil
}
