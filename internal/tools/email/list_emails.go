package email

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/dates"
	"github.com/helve-dev/helve/internal/lib/mail"
	"github.com/helve-dev/helve/internal/lib/mail/mailbox"
	"github.com/helve-dev/helve/internal/lib/outward"
	"github.com/helve-dev/helve/tool"
)

// usualListed and mostListed are the numbers of mails that a list has by default and at most.
const usualListed, mostListed = 20, 50

type listArgs struct {
	Folder     string `json:"folder,omitempty" max:"300" doc:"Folder, as the mailbox names it." default:"INBOX"`
	Limit      int    `json:"limit,omitempty" doc:"The most mails to return, 1 to 50."`
	UnreadOnly bool   `json:"unreadOnly,omitempty" doc:"Only mails that nobody has read." default:"false"`
	From       string `json:"from,omitempty" max:"300" doc:"Only mails whose sender has this text."`
	Subject    string `json:"subject,omitempty" max:"300" doc:"Only mails whose subject has this text."`
	Since      string `json:"since,omitempty" doc:"First day of arrival, YYYY-MM-DD; the time of day is not looked at."`
	Before     string `json:"before,omitempty" doc:"Day after the last day of arrival, YYYY-MM-DD."`
}

type listResult struct {
	listed

	Query listArgs `json:"query"`
}

var _ = tool.Add(Set, tool.Spec[listArgs, *listResult]{
	Name: "list_emails",
	Description: "List the newest mails of a mailbox folder, by sender, subject, day or unread, and return their ids, senders, subjects and " +
		"beginnings.",
	Tags:      []string{"mail", "email", "inbox", "read mail", "check mail", "unread"},
	Example:   `{"unreadOnly":true,"limit":10}`,
	Risk:      tool.Medium,
	Mutates:   false,
	OpenWorld: true,
	Scopes:    tool.Scopes{Hosts: []string{"*"}},
	Limit:     &tool.Limit{Param: "limit", Default: usualListed, Max: mostListed},
	Needs:     tool.NeedDialer | tool.NeedSecrets,
	Errors:    []tool.Kind{tool.NotConfigured, tool.NotFound, tool.NetworkError, tool.ExecutionError},
	Timeout:   quick,
	Check: func(ctx context.Context, call *tool.Call, args listArgs) error {
		if _, err := args.query(); err != nil {
			return err
		}
		_, err := mail.Find(ctx, call, mail.IMAP)
		return err
	},
	Run: listEmails,
})

// query returns the arguments as a query of the mailbox.
func (a *listArgs) query() (*mailbox.Query, error) {
	q := &mailbox.Query{From: a.From, Subject: a.Subject, Unread: a.UnreadOnly, Limit: limit(a.Limit, mostListed, usualListed)}
	var err error
	if q.Since, err = day("since", a.Since); err != nil {
		return nil, err
	}
	q.Before, err = day("before", a.Before)
	return q, err
}

// limit returns a number of mails within its bounds.
func limit(n, most, usual int) int {
	if n < 1 {
		return usual
	}
	return min(n, most)
}

// day reads a day; the time of day, which a server cannot search for, is dropped.
func day(param, text string) (time.Time, error) {
	if strings.TrimSpace(text) == "" {
		return time.Time{}, nil
	}
	written, err := dates.Written(text)
	if err != nil {
		return time.Time{}, tool.Fail(tool.ValidationError, "%s must be a day: YYYY-MM-DD (2026-11-23)", param).Because(err)
	}
	return time.Parse(time.DateOnly, written[:len(time.DateOnly)])
}

func listEmails(ctx context.Context, call *tool.Call, args listArgs) (*listResult, error) {
	q, err := args.query()
	if err != nil {
		return nil, err
	}
	args.Limit = q.Limit
	args.Folder = cmp.Or(strings.TrimSpace(args.Folder), mailbox.Inbox)
	found, err := search(ctx, call, args.Folder, q)
	if err != nil {
		return nil, err
	}
	res := &listResult{listed: list(found), Query: args}
	res.Message = fmt.Sprintf("%d of %d mail(s) in %s", res.Count, res.Total, args.Folder)
	return res, nil
}

// search looks for mails in a folder, or in all.
func search(ctx context.Context, call *tool.Call, folder string, q *mailbox.Query) (*mailbox.Found, error) {
	server, err := mail.Find(ctx, call, mail.IMAP)
	if err != nil {
		return nil, err
	}
	box, err := mailbox.Open(ctx, call.Dialer, server)
	if err != nil {
		return nil, err
	}
	defer box.Close()
	found, err := box.Search(folder, q)
	if err != nil {
		return nil, err
	}
	if len(found.Mails) > 0 {
		outward.MarkUntrusted(call)
	}
	return found, nil
}
