// Package mail is the part of a worker that tests the entries of mail servers in the config
// center: it connects to the server of an entry and signs in. The mail tools need no part.
package mail

import (
	"context"

	"github.com/helve-dev/helve/internal/lib/mail"
	"github.com/helve-dev/helve/internal/lib/mail/mailbox"
	"github.com/helve-dev/helve/internal/lib/mail/outbox"
	"github.com/helve-dev/helve/internal/toolbox"
	"github.com/helve-dev/helve/tool"
)

// Part returns the part.
func Part() toolbox.Part { return toolbox.Part{Name: toolbox.Mail, Dial: dial} }

// dial connects to the mail server of an entry and signs in.
func dial(ctx context.Context, dialer tool.Dialer, service string, secrets tool.Secrets, e tool.ServiceEntry) (int, error) {
	server, err := mail.Of(ctx, secrets, service, e)
	if err != nil {
		return 0, err
	}
	if service == mail.SMTP {
		return outbox.Try(ctx, dialer, server)
	}
	box, err := mailbox.Open(ctx, dialer, server)
	if err != nil {
		return 0, err
	}
	box.Close()
	return 0, nil
}
