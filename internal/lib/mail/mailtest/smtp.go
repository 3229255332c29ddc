package mailtest

import (
	"errors"
	"io"
	"log"
	"net"
	"slices"
	"sync"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// The account that the servers know.
const (
	User     = "ann@example.com"
	Password = "correct horse"
	Token    = "access-token-1"
)

// Mail is a mail that a server took.
type Mail struct {
	From string
	To   []string
	Text string
}

// SMTP is an SMTP server that keeps what it takes.
type SMTP struct {
	// Host and Port are its address.
	Host, Port string
	// UTF8 is set before the first mail if addresses may have any characters.
	UTF8 bool
	// Recipient, if set, may refuse a recipient, and Took a mail before it is taken.
	Recipient func(address string) error
	Took      func(m Mail) error

	mu    sync.Mutex
	mails []Mail
	logs  int // sessions that signed in
}

// NewSMTP starts a server, with TLS from the start or with STARTTLS.
func NewSMTP(tb testing.TB, a *Authority, tlsFromStart bool) *SMTP {
	tb.Helper()
	s := &SMTP{}
	server := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) { return &smtpSession{server: s}, nil }))
	server.Domain, server.TLSConfig, server.MaxRecipients, server.MaxMessageBytes = "mail.example.com", a.Server, 1000, 60<<20
	server.EnableSMTPUTF8 = true
	server.ErrorLog = log.New(io.Discard, "", 0)
	s.Host, s.Port = serve(tb, func(l net.Listener) error { return server.Serve(l) }, a, tlsFromStart)
	tb.Cleanup(func() { _ = server.Close() })
	return s
}

// Mails returns what the server took.
func (s *SMTP) Mails() []Mail {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.mails)
}

// Logins counts the sessions that signed in.
func (s *SMTP) Logins() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.logs
}

type smtpSession struct {
	server *SMTP
	mail   Mail
}

// AuthMechanisms implements [smtp.AuthSession].
func (*smtpSession) AuthMechanisms() []string { return []string{sasl.Plain, "XOAUTH2"} }

// Auth implements [smtp.AuthSession].
func (s *smtpSession) Auth(mech string) (sasl.Server, error) {
	if mech == "XOAUTH2" {
		return &xoauth2{s.server.login, smtp.ErrAuthFailed}, nil
	}
	return sasl.NewPlainServer(func(_, user, password string) error {
		if password != Password {
			return smtp.ErrAuthFailed
		}
		return s.server.login(user)
	}), nil
}

func (s *SMTP) login(user string) error {
	if user != User {
		return smtp.ErrAuthFailed
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.logs++
	return nil
}

// Mail implements [smtp.Session].
func (s *smtpSession) Mail(from string, o *smtp.MailOptions) error {
	if o.UTF8 && !s.server.UTF8 {
		return errors.New("UTF8 was not expected")
	}
	s.mail.From = from
	return nil
}

// Rcpt implements [smtp.Session].
func (s *smtpSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	if s.server.Recipient != nil {
		if err := s.server.Recipient(to); err != nil {
			return err
		}
	}
	s.mail.To = append(s.mail.To, to)
	return nil
}

// Data implements [smtp.Session].
func (s *smtpSession) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	s.mail.Text = string(text)
	if s.server.Took != nil {
		if err := s.server.Took(s.mail); err != nil {
			return err
		}
	}
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.mails = append(s.server.mails, s.mail)
	return nil
}

// Reset implements [smtp.Session].
func (s *smtpSession) Reset() { s.mail = Mail{} }

// Logout implements [smtp.Session].
func (*smtpSession) Logout() error { return nil }
