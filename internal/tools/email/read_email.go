package email

import (
	"cmp"
	"context"
	"strings"

	"github.com/helve-dev/helve/internal/lib/mail"
	"github.com/helve-dev/helve/internal/lib/mail/mailbox"
	"github.com/helve-dev/helve/internal/lib/mail/message"
	"github.com/helve-dev/helve/internal/lib/outward"
	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

const (
	// shownText and shownHTML bound the texts of a mail in a result, in characters.
	shownText = 100_000
	shownHTML = 20_000
)

type readArgs struct {
	EmailID             string `json:"emailId" alias:"id" min:"1" max:"200" doc:"Id of the mail, from list_emails or search_emails."`
	Folder              string `json:"folder,omitempty" max:"300" doc:"Folder of the mail; the id names it already." default:"INBOX"`
	DownloadAttachments bool   `json:"downloadAttachments,omitempty" doc:"Save the files of the mail in the workspace."`
	AttachmentDir       string `json:"attachmentDir,omitempty" max:"1000" doc:"Directory for them, made if need be; attachments by default."`
	MarkAsRead          *bool  `json:"markAsRead,omitempty" doc:"Mark the mail as read." default:"true"`
}

// marks reports whether the mail is to be marked as read.
func (a *readArgs) marks() bool { return a.MarkAsRead == nil || *a.MarkAsRead }

type attached struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Size int64  `json:"size"`
	Path string `json:"path,omitempty" doc:"Where it was saved in the workspace."`
}

type readQuery struct {
	ID                  string `json:"id"`
	Folder              string `json:"folder"`
	DownloadAttachments bool   `json:"downloadAttachments"`
	AttachmentDir       string `json:"attachmentDir,omitempty"`
	MarkAsRead          bool   `json:"markAsRead"`
}

type readResult struct {
	item

	Cc          []string   `json:"cc"`
	ReplyTo     []string   `json:"replyTo,omitempty"`
	Text        string     `json:"text" doc:"The readable text; that of the HTML if there is no other."`
	HTML        string     `json:"html,omitempty" doc:"The HTML, cut."`
	Attachments []attached `json:"attachments"`
	MessageID   string     `json:"messageId,omitempty"`
	InReplyTo   string     `json:"inReplyTo,omitempty"`
	References  []string   `json:"references"`
	Query       readQuery  `json:"query"`
}

var _ = tool.Add(Set, tool.Spec[readArgs, *readResult]{
	Name: "read_email",
	Description: "Read one mail: sender, recipients, readable text and the list of its files, which it can save in the workspace; " +
		"with markAsRead false the mail stays unread.",
	Tags:    []string{"mail", "email", "open mail", "message content", "read message", "attachment"},
	Example: `{"emailId":"g-y1Ib8yD2cAAAABAAAAAQ","markAsRead":false}`,
	Risk:    tool.Medium,
	Mutates: true,
	Reads:   func(a readArgs) bool { return !a.marks() && !a.DownloadAttachments },
	// Saving files a second time would make further ones.
	Repeats:   func(a readArgs) bool { return !a.DownloadAttachments },
	OpenWorld: true,
	Scopes:    tool.Scopes{Hosts: []string{"*"}, Paths: []string{"workspace"}},
	Needs:     tool.NeedDialer | tool.NeedSecrets | tool.NeedFiles,
	Errors: []tool.Kind{
		tool.NotConfigured, tool.NotFound, tool.NetworkError, tool.ExecutionError, tool.PathNotAllowed, tool.FileNotFound, tool.FileTooLarge,
	},
	Timeout: slow,
	Check: func(ctx context.Context, call *tool.Call, args readArgs) error {
		if !args.marks() {
			call.Risk = tool.Low // what is left are new files in the person's own workspace
		}
		if outside(args.AttachmentDir) {
			return tool.Fail(tool.PathNotAllowed, "The attachmentDir is not within the allowed workspace.")
		}
		return checkID(ctx, call, args.EmailID)
	},
	Run: readEmail,
})

// checkID refuses an id that is none, and a call without a mailbox.
func checkID(ctx context.Context, call *tool.Call, id string) error {
	if _, err := mail.Find(ctx, call, mail.IMAP); err != nil {
		return err
	}
	_, err := mailbox.ParseID(id)
	return err
}

func readEmail(ctx context.Context, call *tool.Call, args readArgs) (*readResult, error) {
	id, err := mailbox.ParseID(args.EmailID)
	if err != nil {
		return nil, err
	}
	server, err := mail.Find(ctx, call, mail.IMAP)
	if err != nil {
		return nil, err
	}
	var save message.Save
	if args.DownloadAttachments {
		args.AttachmentDir = cmp.Or(strings.TrimSpace(args.AttachmentDir), "attachments")
		if save, err = saver(call, args.AttachmentDir); err != nil {
			return nil, err
		}
	}
	box, err := mailbox.Open(ctx, call.Dialer, server)
	if err != nil {
		return nil, err
	}
	defer box.Close()
	sum, m, err := box.Read(id, args.Folder, args.marks(), save)
	if err != nil {
		return nil, err
	}
	outward.MarkUntrusted(call)
	if m.Cut != "" {
		call.Note("Not everything was read: %s.", m.Cut)
	}
	return present(sum, m, &args), nil
}

func present(sum *mailbox.Summary, m *message.Message, args *readArgs) *readResult {
	sum.Header = m.Header
	res := &readResult{
		item: show(sum, m.From, m.To), Cc: message.Strings(m.Cc), ReplyTo: message.Strings(m.ReplyTo),
		Text: textcut.Excerpt(m.Text, shownText), HTML: textcut.Excerpt(m.HTML, shownHTML), Attachments: []attached{},
		MessageID: m.MessageID, InReplyTo: m.InReplyTo, References: append([]string{}, m.References...),
		Query: readQuery{args.EmailID, sum.Folder, args.DownloadAttachments, args.AttachmentDir, args.marks()},
	}
	for _, f := range m.Files {
		res.Attachments = append(res.Attachments, attached(f))
	}
	return res
}
