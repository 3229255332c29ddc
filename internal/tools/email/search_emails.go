package email

import (
	"context"
	"fmt"
	"strings"

	"github.com/helve-dev/helve/internal/lib/mail"
	"github.com/helve-dev/helve/internal/lib/mail/mailbox"
	"github.com/helve-dev/helve/tool"
)

// usualFound and mostFound are the numbers of mails that a search returns by default and at
// most.
const usualFound, mostFound = 50, 100

type searchArgs struct {
	Query         string `json:"query" min:"1" max:"1000" doc:"Words that fields or text of a mail must all have; a text in double quotes as it is; or a Message-ID."`
	Folder        string `json:"folder,omitempty" max:"300" doc:"Folder to search." default:"all"`
	HasAttachment *bool  `json:"hasAttachment,omitempty" doc:"Only mails with files, or only those without."`
	IsStarred     *bool  `json:"isStarred,omitempty" doc:"Only mails that are starred, or only those that are not."`
	Limit         int    `json:"limit,omitempty" doc:"The most mails to return, 1 to 100."`
}

// searched repeats the arguments of a search.
type searched struct {
	SearchText    string `json:"searchText"`
	Folder        string `json:"folder"`
	HasAttachment *bool  `json:"hasAttachment,omitempty"`
	IsStarred     *bool  `json:"isStarred,omitempty"`
	Limit         int    `json:"limit"`
}

type searchResult struct {
	listed

	Query searched `json:"query"`
}

var _ = tool.Add(Set, tool.Spec[searchArgs, *searchResult]{
	Name: "search_emails",
	Description: "Search mails on the server by words of sender, subject and text, or by Message-ID, in one folder or all, and return the " +
		"newest with their ids.",
	Tags:      []string{"mail", "email", "find mail", "filter", "search mail"},
	Example:   `{"query":"invoice march","hasAttachment":true}`,
	Risk:      tool.Medium,
	Mutates:   false,
	OpenWorld: true,
	Scopes:    tool.Scopes{Hosts: []string{"*"}},
	Limit:     &tool.Limit{Param: "limit", Default: usualFound, Max: mostFound},
	Needs:     tool.NeedDialer | tool.NeedSecrets,
	Errors:    []tool.Kind{tool.NotConfigured, tool.NotFound, tool.NetworkError, tool.ExecutionError},
	Timeout:   quick,
	Check: func(ctx context.Context, call *tool.Call, args searchArgs) error {
		if err := args.check(); err != nil {
			return err
		}
		_, err := mail.Find(ctx, call, mail.IMAP)
		return err
	},
	Run: searchEmails,
})

func (a *searchArgs) check() error {
	if strings.Trim(a.Query, " \t\r\n\"") == "" {
		return tool.Fail(tool.ValidationError, "query is blank; send the words to look for")
	}
	if strings.ContainsAny(a.Query, "\r\n\x00") {
		return tool.Fail(tool.ValidationError, "query must be one line")
	}
	return nil
}

func searchEmails(ctx context.Context, call *tool.Call, args searchArgs) (*searchResult, error) {
	if err := args.check(); err != nil {
		return nil, err
	}
	args.Limit = limit(args.Limit, mostFound, usualFound)
	folder := strings.TrimSpace(args.Folder)
	if strings.EqualFold(folder, "all") {
		folder = ""
	}
	found, err := search(ctx, call, folder, &mailbox.Query{
		Text:    args.Query,
		Files:   args.HasAttachment,
		Starred: args.IsStarred,
		Limit:   args.Limit,
	})
	if err != nil {
		return nil, err
	}
	res := &searchResult{listed: list(found), Query: searched{args.Query, args.Folder, args.HasAttachment, args.IsStarred, args.Limit}}
	res.Message = fmt.Sprintf("%d of %d mail(s) found", res.Count, res.Total)
	if args.HasAttachment != nil && found.More {
		call.Note("A server cannot search for files, so the newest mails that match otherwise were examined; there may be older ones.")
	}
	return res, nil
}
