// Package email holds the tools that send mails over SMTP and read mailboxes over IMAP.
//
// They use the person's entries of the services smtp and imap, over connections that are
// guarded and encrypted. A mail is sent at most once: a call that was interrupted after it
// began is not repeated, and its error names the Message-ID by which search_emails finds the
// mail. What a mail holds is data: its HTML is shown as text, its files get harmless names.
//
// Nothing here prevents a model from trusting a mail, and a sender is not proven.
package email

import (
	"time"

	"github.com/helve-dev/helve/internal/lib/mail/mailbox"
	"github.com/helve-dev/helve/internal/lib/mail/message"
	"github.com/helve-dev/helve/tool"
)

// Set holds the tools of this package; each file adds its own.
var Set = tool.NewSet("Email", "email")

const (
	// quick is the time that a call on a mailbox may take, slow that of a call that moves
	// whole mails.
	quick = 90 * time.Second
	slow  = 4 * time.Minute
	// previewed is the length of the preview of a mail that is sent, in characters.
	previewed = 100
)

// item is a mail in a list.
type item struct {
	ID             string   `json:"id" doc:"Stays the same; read_email, reply_email and delete_email take it."`
	Folder         string   `json:"folder"`
	From           string   `json:"from"`
	To             []string `json:"to"`
	Subject        string   `json:"subject"`
	Date           string   `json:"date"`
	Preview        string   `json:"preview" doc:"Beginning of the text."`
	Unread         bool     `json:"unread"`
	Starred        bool     `json:"starred"`
	HasAttachments bool     `json:"hasAttachments"`
	Size           int64    `json:"size" doc:"Of the whole mail, in bytes."`
}

// listed is a list of mails.
type listed struct {
	Message   string `json:"message"`
	Emails    []item `json:"emails" doc:"The newest first."`
	Total     int    `json:"total" doc:"How many match."`
	Count     int    `json:"count" doc:"How many are returned."`
	Truncated bool   `json:"truncated"`
}

func show(s *mailbox.Summary, from, to []message.Address) item {
	it := item{
		ID: s.ID.String(), Folder: s.Folder, To: message.Strings(to), Subject: s.Subject, Date: s.Date.Format(time.RFC3339),
		Preview: s.Preview, Unread: s.Unread, Starred: s.Starred, HasAttachments: s.HasFiles, Size: s.Size,
	}
	if len(from) > 0 {
		it.From = from[0].String()
	}
	return it
}

func list(found *mailbox.Found) listed {
	l := listed{Emails: make([]item, len(found.Mails)), Total: found.Total, Count: len(found.Mails), Truncated: found.More}
	for i := range found.Mails {
		l.Emails[i] = show(&found.Mails[i], found.Mails[i].From, found.Mails[i].To)
	}
	return l
}
