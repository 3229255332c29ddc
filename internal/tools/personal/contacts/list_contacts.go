package contacts

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/internal/lib/listing"
	"github.com/helve-dev/helve/tool"
)

type listArgs struct {
	Relationship string `json:"relationship,omitempty" doc:"Only contacts of this relationship, written as it was saved."`
	Company      string `json:"company,omitempty" doc:"Only contacts of this company, written as it was saved; search finds parts of it."`
	Favorite     *bool  `json:"favorite,omitempty" doc:"Only favorites, or only contacts that are none."`
	Search       string `json:"search,omitempty" doc:"Words that name, email or company must have; the beginning of a word is enough."`
	Limit        int    `json:"limit,omitempty" doc:"The most contacts to return, 1 to 50."`
	Offset       int    `json:"offset,omitempty" doc:"How many contacts to skip."`
}

type listResult struct {
	Message  string `json:"message"`
	Contacts []view `json:"contacts" doc:"The newest first."`

	listing.Counts
}

var _ = tool.Add(Set, tool.Spec[listArgs, *listResult]{
	Name: "list_contacts",
	Description: "List the person's contacts, newest first, by relationship, company, favorites or words of name, email and company, " +
		"and return them with their ids.",
	Tags:         []string{"contacts", "phonebook", "list", "show contacts"},
	Example:      `{"search":"anna","limit":5}`,
	Risk:         tool.Low,
	Confirmation: tool.ConfirmNever,
	Mutates:      false,
	Idempotent:   true,
	Limit:        &tool.Limit{Param: "limit", Default: 20, Max: 50},
	Needs:        tool.NeedStore,
	Errors:       []tool.Kind{},
	Timeout:      timeout,
	Run:          listContacts,
})

func listContacts(ctx context.Context, call *tool.Call, args listArgs) (*listResult, error) {
	q := tool.Query{Text: args.Search, Limit: args.Limit}
	for _, want := range [][2]string{{"relationship", args.Relationship}, {"company", args.Company}} {
		if want[1] != "" {
			q.Where = append(q.Where, tool.Where(want[0], tool.Equal, want[1]))
		}
	}
	if args.Favorite != nil {
		q.Where = append(q.Where, tool.Where("isFavorite", tool.Equal, *args.Favorite))
	}
	found, counts, err := listing.Read(ctx, Collection, call.Store, q, args.Offset)
	if err != nil {
		return nil, err
	}
	res := &listResult{Contacts: make([]view, len(found)), Counts: counts}
	for i, r := range found {
		res.Contacts[i] = show(r)
	}
	res.Message = fmt.Sprintf("%d contact(s) found.", res.Total)
	if res.Truncated {
		res.Message = fmt.Sprintf("%d of %d contact(s); narrow the list by search, or set offset, to see others.", res.Count, res.Total)
	}
	return res, nil
}
