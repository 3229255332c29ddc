package email

import (
	"context"

	"github.com/helve-dev/helve/internal/lib/mail"
	"github.com/helve-dev/helve/internal/lib/mail/mailbox"
	"github.com/helve-dev/helve/internal/lib/mail/outbox"
	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

type sentMessage struct {
	To              []string `json:"to"`
	Cc              []string `json:"cc"`
	Bcc             []string `json:"bcc,omitempty"`
	Subject         string   `json:"subject"`
	BodyPreview     string   `json:"bodyPreview" doc:"Beginning of the body."`
	IsHTML          bool     `json:"isHtml"`
	AttachmentCount int      `json:"attachmentCount"`
	Priority        string   `json:"priority,omitempty"`
}

// sent is the outcome of sending a mail.
type sent struct {
	Status    string      `json:"status" enum:"sent"`
	MessageID string      `json:"messageId" doc:"search_emails finds the mail by it."`
	Accepted  []string    `json:"accepted" doc:"Recipients that the server took the mail for."`
	Message   sentMessage `json:"message"`
}

// sendErrors returns the kinds of failures of sending, beside those of any call.
func sendErrors(more ...tool.Kind) []tool.Kind {
	return append([]tool.Kind{
		tool.NotConfigured, tool.NetworkError, tool.ExecutionError, tool.FileNotFound, tool.PathNotAllowed, tool.FileTooLarge, tool.Unsupported,
	}, more...)
}

// uncertain returns how to find out whether the mail of a call went.
func uncertain(call *tool.Call) string {
	return outbox.Uncertain(outbox.MessageID(call.Tenant, call.ID))
}

// send sends the mail of a call.
func send(ctx context.Context, call *tool.Call, server *mail.Server, m *outbox.Mail) (*sent, error) {
	m.ID, m.Date, m.From = outbox.MessageID(call.Tenant, call.ID), call.Clock.Now().UTC(), server.Field("from")
	accepted, err := outbox.Send(ctx, call.Dialer, server, m)
	if err != nil {
		return nil, err
	}
	store(ctx, call, m)
	return &sent{
		Status: "sent", MessageID: m.ID, Accepted: accepted,
		Message: sentMessage{
			To: m.To, Cc: append([]string{}, m.Cc...), Bcc: m.Bcc, Subject: m.Subject, BodyPreview: textcut.Excerpt(m.Body, previewed),
			IsHTML: m.HTML, AttachmentCount: len(m.Attachments), Priority: m.Priority,
		},
	}, nil
}

// store keeps a copy of a mail that was sent, if the entry of the mailbox names a folder for
// that. The mail is sent, so a failure is only noted.
func store(ctx context.Context, call *tool.Call, m *outbox.Mail) {
	server, err := mail.FindIf(ctx, call, mail.IMAP)
	if err != nil || server == nil || server.Field("sent") == "" {
		return
	}
	folder := server.Field("sent")
	if err := appendTo(ctx, call, server, folder, m); err != nil {
		call.Note("The mail was sent, but could not be stored in the folder %q: %s", folder, tool.AsError(err).Msg)
	}
}

func appendTo(ctx context.Context, call *tool.Call, server *mail.Server, folder string, m *outbox.Mail) error {
	text, err := m.Bytes()
	if err != nil {
		return err
	}
	box, err := mailbox.Open(ctx, call.Dialer, server)
	if err != nil {
		return err
	}
	defer box.Close()
	return box.Append(folder, text)
}
