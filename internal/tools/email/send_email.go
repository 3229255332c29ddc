package email

import (
	"context"

	"github.com/helve-dev/helve/internal/lib/mail"
	"github.com/helve-dev/helve/internal/lib/mail/outbox"
	"github.com/helve-dev/helve/tool"
)

type sendArgs struct {
	To          []string `json:"to" doc:"Addresses of the recipients, such as ann@example.com."`
	Subject     string   `json:"subject" doc:"Subject, on one line."`
	Body        string   `json:"body" doc:"Text of the mail, or HTML with html true."`
	HTML        bool     `json:"html,omitempty" doc:"Whether body is HTML." default:"false"`
	Cc          []string `json:"cc,omitempty" doc:"Addresses of recipients of copies."`
	Bcc         []string `json:"bcc,omitempty" doc:"Addresses of recipients whom the others do not see."`
	ReplyTo     string   `json:"replyTo,omitempty" doc:"Address for replies, if it is not the sender's."`
	Attachments []string `json:"attachments,omitempty" doc:"Files to attach, relative to the workspace; at most 25 MB in all."`
	Priority    string   `json:"priority,omitempty" doc:"How urgent it is." enum:"high,normal,low"`
}

var _ = tool.Add(Set, tool.Spec[sendArgs, *sent]{
	Name: "send_email",
	Description: "Send a mail from the person's account to at most 100 recipients, as text or HTML, with files of the workspace; " +
		"returns its Message-ID and the recipients that the server accepted.",
	Tags:        []string{"mail", "email", "send", "message", "smtp", "contact", "notify", "notification", "letter"},
	Example:     `{"to":["ann@example.com"],"subject":"The notes of Friday","body":"Here they are.","attachments":["notes.txt"]}`,
	Risk:        tool.Medium,
	Mutates:     true,
	Destructive: true, // a mail cannot be called back
	OpenWorld:   true,
	Scopes:      tool.Scopes{Hosts: []string{"*"}, Paths: []string{"workspace"}},
	Needs:       tool.NeedDialer | tool.NeedSecrets | tool.NeedFiles,
	Errors:      sendErrors(),
	Timeout:     slow,
	Uncertain:   func(call *tool.Call, _ sendArgs) string { return uncertain(call) },
	Check: func(ctx context.Context, call *tool.Call, args sendArgs) error {
		if err := args.check(); err != nil {
			return err
		}
		_, err := mail.Find(ctx, call, mail.SMTP)
		return err
	},
	Run: sendEmail,
})

func (a *sendArgs) check() error {
	if err := outbox.CheckRecipients(a.To, a.Cc, a.Bcc); err != nil {
		return err
	}
	if err := outbox.CheckReplyTo(a.ReplyTo); err != nil {
		return err
	}
	if err := outbox.CheckSubject(a.Subject); err != nil {
		return err
	}
	return checkAttachments(a.Attachments)
}

func sendEmail(ctx context.Context, call *tool.Call, args sendArgs) (*sent, error) {
	if err := args.check(); err != nil {
		return nil, err
	}
	server, err := mail.Find(ctx, call, mail.SMTP)
	if err != nil {
		return nil, err
	}
	files, err := attach(call, args.Attachments)
	if err != nil {
		return nil, err
	}
	return send(ctx, call, server, &outbox.Mail{
		To: args.To, Cc: args.Cc, Bcc: args.Bcc, ReplyTo: args.ReplyTo, Subject: args.Subject, Body: args.Body, HTML: args.HTML,
		Priority: args.Priority, Attachments: files,
	})
}
