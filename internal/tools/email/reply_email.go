package email

import (
	"context"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/lib/mail"
	"github.com/helve-dev/helve/internal/lib/mail/mailbox"
	"github.com/helve-dev/helve/internal/lib/mail/message"
	"github.com/helve-dev/helve/internal/lib/mail/outbox"
	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

type replyArgs struct {
	EmailID     string   `json:"emailId" alias:"id" min:"1" max:"200" doc:"Id of the mail to answer, from list_emails or search_emails."`
	Body        string   `json:"body" doc:"Text of the answer, or HTML with html true."`
	HTML        bool     `json:"html,omitempty" doc:"Whether body is HTML."`
	ReplyAll    bool     `json:"replyAll,omitempty" doc:"Answer also to the other recipients." default:"false"`
	Attachments []string `json:"attachments,omitempty" doc:"Files to attach, relative to the workspace; at most 25 MB in all."`
}

type replyDetails struct {
	OriginalID      string `json:"originalId"`
	BodyPreview     string `json:"bodyPreview"`
	IsHTML          bool   `json:"isHtml"`
	AttachmentCount int    `json:"attachmentCount"`
}

type replyResult struct {
	sent

	Action  string       `json:"action" enum:"reply,reply_all"`
	Details replyDetails `json:"details"`
}

var _ = tool.Add(Set, tool.Spec[replyArgs, *replyResult]{
	Name: "reply_email",
	Description: "Answer a mail in its thread, to its sender or with replyAll to all, with files of the workspace; " +
		"returns the Message-ID, the recipients and the subject.",
	Tags:        []string{"mail", "email", "respond", "answer", "reply"},
	Example:     `{"emailId":"g-y1Ib8yD2cAAAABAAAAAQ","body":"Friday at ten is fine."}`,
	Risk:        tool.Medium,
	Mutates:     true,
	Destructive: true, // a mail cannot be called back
	OpenWorld:   true,
	Scopes:      tool.Scopes{Hosts: []string{"*"}, Paths: []string{"workspace"}},
	Needs:       tool.NeedDialer | tool.NeedSecrets | tool.NeedFiles,
	Errors:      sendErrors(tool.NotFound),
	Timeout:     slow,
	Uncertain:   func(call *tool.Call, _ replyArgs) string { return uncertain(call) },
	Check: func(ctx context.Context, call *tool.Call, args replyArgs) error {
		if err := checkAttachments(args.Attachments); err != nil {
			return err
		}
		if _, err := mail.Find(ctx, call, mail.SMTP); err != nil {
			return err
		}
		return checkID(ctx, call, args.EmailID)
	},
	Run: replyEmail,
})

func replyEmail(ctx context.Context, call *tool.Call, args replyArgs) (*replyResult, error) {
	id, err := mailbox.ParseID(args.EmailID)
	if err != nil {
		return nil, err
	}
	outgoing, err := mail.Find(ctx, call, mail.SMTP)
	if err != nil {
		return nil, err
	}
	incoming, err := mail.Find(ctx, call, mail.IMAP)
	if err != nil {
		return nil, err
	}
	files, err := attach(call, args.Attachments)
	if err != nil {
		return nil, err
	}
	original, err := original(ctx, call, incoming, id)
	if err != nil {
		return nil, err
	}
	m, err := answer(&original.Header, args.ReplyAll, outgoing.Sender(), incoming.User)
	if err != nil {
		return nil, err
	}
	m.Body, m.HTML, m.Attachments = args.Body, args.HTML, files
	out, err := send(ctx, call, outgoing, m)
	if err != nil {
		return nil, err
	}
	if err := answered(ctx, call, incoming, id); err != nil {
		call.Note("The answer was sent, but the mail could not be marked as answered: %s", tool.AsError(err).Msg)
	}
	action := "reply"
	if args.ReplyAll {
		action = "reply_all"
	}
	return &replyResult{
		sent:    *out,
		Action:  action,
		Details: replyDetails{id.String(), textcut.Excerpt(args.Body, previewed), args.HTML, len(files)},
	}, nil
}

// original reads the mail that is answered. The connection is closed before the answer is
// sent: servers end those that say nothing for a while.
func original(ctx context.Context, call *tool.Call, server *mail.Server, id mailbox.ID) (*mailbox.Summary, error) {
	box, err := mailbox.Open(ctx, call.Dialer, server)
	if err != nil {
		return nil, err
	}
	defer box.Close()
	return box.Summary(id, "", false)
}

func answered(ctx context.Context, call *tool.Call, server *mail.Server, id mailbox.ID) error {
	box, err := mailbox.Open(ctx, call.Dialer, server)
	if err != nil {
		return err
	}
	defer box.Close()
	return box.Answered(id, "")
}

// answer returns a mail that answers another one (RFC 5322, 3.6.2 and 3.6.4): to its
// Reply-To, else to its sender; to its recipients if the sender is the person.
func answer(h *message.Header, all bool, own ...string) (*outbox.Mail, error) {
	mine := func(address string) bool {
		return slices.ContainsFunc(own, func(o string) bool { return strings.EqualFold(o, address) })
	}
	seen := map[string]bool{}
	usable := func(list []message.Address) []string {
		var out []string
		for _, a := range list {
			key := strings.ToLower(a.Address)
			if outbox.Valid(a.Address) && !seen[key] {
				seen[key] = true
				out = append(out, a.Address)
			}
		}
		return out
	}
	to := h.ReplyTo
	if len(usable(to)) == 0 {
		to = h.From
	}
	clear(seen)
	m := &outbox.Mail{Subject: subject(h.Subject), To: usable(to)}
	if len(m.To) > 0 && !slices.ContainsFunc(m.To, func(a string) bool { return !mine(a) }) {
		if theirs := slices.DeleteFunc(usable(h.To), mine); len(theirs) > 0 {
			m.To = theirs
		}
	}
	if len(m.To) == 0 {
		return nil, tool.Fail(tool.ValidationError, "The mail has no address that can be answered; use send_email")
	}
	if all {
		m.Cc = slices.DeleteFunc(append(usable(h.To), usable(h.Cc)...), mine)
	}
	if h.MessageID != "" {
		m.InReplyTo = h.MessageID
		m.References = thread(h)
	}
	return m, outbox.CheckRecipients(m.To, m.Cc, nil)
}

// thread returns the References of an answer: those of the mail, or what it answers itself,
// and its own Message-ID.
func thread(h *message.Header) []string {
	references := slices.Clone(h.References)
	if len(references) == 0 && h.InReplyTo != "" {
		references = []string{h.InReplyTo}
	}
	return append(slices.DeleteFunc(references, func(id string) bool { return id == h.MessageID }), h.MessageID)
}

// subject returns the subject of an answer.
func subject(original string) string {
	const most = 500
	original = textcut.First(original, most)
	if len(original) >= 3 && strings.EqualFold(original[:3], "re:") {
		return original
	}
	return strings.TrimSpace("Re: " + original)
}
