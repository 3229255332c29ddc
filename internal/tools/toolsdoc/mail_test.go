package toolsdoc

import (
	"github.com/helve-dev/helve/internal/lib/mail/mailtest"
	"github.com/helve-dev/helve/tool"
)

// exampleMail is the mail in the inbox of the examples.
const exampleMail = `From: Grace Hopper <grace@example.org>
To: ann@example.com
Subject: The compiler, and Friday
Date: Thu, 1 Jan 2026 09:30:00 +0000
Message-ID: <friday.1@example.org>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=part

--part
Content-Type: text/plain; charset=utf-8

The invoice of March is attached. Shall we meet on Friday?
--part
Content-Type: text/csv
Content-Disposition: attachment; filename="invoice.csv"

item,amount
compiler,80
--part--
`

// mail gives a call the mail servers of the examples: those of other tests, with one mail.
func (s *stage) mail(call *tool.Call) {
	s.Helper()
	a := mailtest.NewAuthority(s, "127.0.0.1")
	out, in := mailtest.NewSMTP(s, a, false), mailtest.NewIMAP(s, a, true)
	in.Put("INBOX", exampleMail, fixed)
	call.Dialer = s.http.guard.Dialer()
	call.Secrets = mailtest.Secrets{
		"smtp": {
			mailtest.Entry("host", out.Host, "port", out.Port, "user", mailtest.User, "password", mailtest.Password, "from", mailtest.User,
				"ca", a.PEM),
		},
		"imap": {
			mailtest.Entry("host", in.Host, "port", in.Port, "user", mailtest.User, "password", mailtest.Password, "tls", "tls", "ca", a.PEM),
		},
	}
}
