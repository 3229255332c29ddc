package outbox

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	netmail "net/mail"
	"net/textproto"
	"strconv"
	"strings"
	"time"

	"github.com/wneessen/go-mail/smtp"

	"github.com/helve-dev/helve/internal/lib/mail"
	"github.com/helve-dev/helve/tool"
)

const (
	// maxReplies bounds what an SMTP server may send in one session, in bytes.
	maxReplies = 1 << 20
	// lastWait is the time to wait for the reply after the last byte of a mail. Servers
	// filter mails then.
	lastWait = 90 * time.Second
)

// session is a signed-in connection to an SMTP server.
type session struct {
	*smtp.Client

	conn   *mail.Conn
	server *mail.Server
}

// Send hands a mail to the server and returns the recipients that it accepted, which are all.
// The error is outcome_unknown if the server did not say whether it took the mail; after any
// other error nothing was sent.
func Send(ctx context.Context, dialer tool.Dialer, server *mail.Server, m *Mail) ([]string, error) {
	from, err := m.sender()
	if err != nil {
		return nil, err
	}
	s, err := open(ctx, dialer, server, helloName(from.Address))
	if err != nil {
		return nil, err
	}
	defer s.end()
	recipients := m.Recipients()
	if err := s.envelope(m, from.Address, recipients); err != nil {
		return nil, err
	}
	if err := s.data(ctx, m, from); err != nil {
		return nil, err
	}
	return recipients, nil
}

// Try connects to the server, signs in and leaves. It returns the code of the last reply.
func Try(ctx context.Context, dialer tool.Dialer, server *mail.Server) (int, error) {
	s, err := open(ctx, dialer, server, helloName(server.Sender()))
	if err != nil {
		return replyCode(err), err
	}
	defer s.end()
	if err := s.Noop(); err != nil {
		return replyCode(err), s.explain(err)
	}
	return okCode, nil
}

// okCode is the code of a command that succeeded.
const okCode = 250

// helloName returns the name with which to greet: the domain of the sender.
func helloName(from string) string {
	if !Valid(from) {
		return "localhost"
	}
	from, all := ascii(from)
	if domain := from[strings.LastIndexByte(from, '@')+1:]; all {
		return domain
	}
	return "localhost"
}

// open connects to the server and signs in.
func open(ctx context.Context, dialer tool.Dialer, server *mail.Server, name string) (*session, error) {
	return mail.SignIn(ctx, server, func(server *mail.Server) (*session, error) {
		return openOnce(ctx, dialer, server, name)
	})
}

func openOnce(ctx context.Context, dialer tool.Dialer, server *mail.Server, name string) (*session, error) {
	conn, err := server.Connect(ctx, dialer, maxReplies)
	if err != nil {
		return nil, err
	}
	s := &session{conn: conn, server: server}
	if err := s.begin(name); err != nil {
		_ = conn.Close() // the session failed already
		return nil, s.explain(err)
	}
	return s, nil
}

// begin greets, encrypts the connection and signs in.
func (s *session) begin(name string) error {
	var stream net.Conn = s.conn
	if s.server.Security == mail.TLS {
		secured, err := s.conn.Encrypt()
		if err != nil {
			return err
		}
		stream = secured
	}
	client, err := smtp.NewClient(stream, s.server.Host)
	if err != nil {
		return err
	}
	s.Client = client
	if err := client.Hello(name); err != nil {
		return err
	}
	if s.server.Security == mail.StartTLS {
		if offered, _ := client.Extension("STARTTLS"); !offered {
			return tool.Fail(tool.NotConfigured,
				"%[1]s offers no STARTTLS, and a password is never sent unencrypted. If it takes TLS from the start: "+
					"helve config set smtp tls=tls port=465; if it takes mails without a password: helve config set smtp tls=none",
				s.server.Address())
		}
		if err := client.StartTLS(s.server.TLSConfig()); err != nil {
			return err
		}
	}
	return s.signIn()
}

func (s *session) signIn() error {
	if s.server.Secret() == "" {
		return nil
	}
	_, offered := s.Extension("AUTH")
	way := s.mechanism(strings.Fields(strings.ToUpper(offered)))
	if way == nil {
		return tool.Fail(tool.NotConfigured,
			"%s does not offer a way to sign in that Helve knows (it offers %q). Check its port and tls, or leave out user and password: "+
				"helve config set smtp --replace host=… from=…",
			s.server.Address(), s.server.Clean(offered))
	}
	err := s.Auth(way)
	if reply, ok := errors.AsType[*textproto.Error](err); ok && reply.Code >= 500 {
		return s.server.Refused(strconv.Itoa(reply.Code)+" "+reply.Msg, err)
	}
	return err
}

// mechanism returns the way to sign in, of those that the server offers; nil if there is none.
func (s *session) mechanism(offered []string) smtp.Auth {
	has := map[string]bool{}
	for _, name := range offered {
		has[name] = true
	}
	user, secret := s.server.User, s.server.Secret()
	switch {
	case s.server.Token() && has["XOAUTH2"]:
		return smtp.XOAuth2Auth(user, secret)
	case s.server.Token():
		return nil
	case has["PLAIN"]:
		return smtp.PlainAuth("", user, secret, s.server.Host, false)
	case has["LOGIN"]:
		return smtp.LoginAuth(user, secret, s.server.Host, false)
	case has["SCRAM-SHA-256"]:
		return smtp.ScramSHA256Auth(user, secret)
	case has["CRAM-MD5"]:
		return smtp.CRAMMD5Auth(user, secret)
	}
	return nil
}

// envelope names sender and recipients. A recipient that the server refuses ends the mail.
func (s *session) envelope(m *Mail, from string, recipients []string) error {
	if _, text := s.Extension("SIZE"); text != "" {
		if most, err := strconv.ParseInt(text, 10, 64); err == nil && most > 0 && m.size() > most {
			return tool.Fail(tool.FileTooLarge, "The mail has about %d bytes, and %s takes at most %d; nothing was sent",
				m.size(), s.server.Address(), most)
		}
	}
	if m.international(from) {
		if able, _ := s.Extension("SMTPUTF8"); !able {
			return tool.Fail(tool.Unsupported, "%s takes no addresses beyond ASCII (SMTPUTF8); nothing was sent", s.server.Address())
		}
	} else {
		s.SkipSMTPUTF8(true) // servers behind this one may lack it
	}
	sender, _ := ascii(from)
	if err := s.Mail("<" + sender + ">"); err != nil {
		return s.explain(err)
	}
	var refused []string
	var last error
	for _, address := range recipients {
		encoded, _ := ascii(address)
		err := s.Rcpt("<" + encoded + ">")
		reply, ok := errors.AsType[*textproto.Error](err)
		switch {
		case err == nil:
		case !ok || reply.Code == closing:
			return s.explain(err)
		default:
			last = err
			refused = append(refused, address+" ("+s.server.Clean(strconv.Itoa(reply.Code)+" "+reply.Msg)+")")
		}
	}
	if len(refused) > 0 {
		return s.refusedRecipients(refused, len(recipients), last)
	}
	return nil
}

// data sends the mail itself. Until its last line the server cannot take it.
func (s *session) data(ctx context.Context, m *Mail, from *netmail.Address) error {
	w, err := s.Data()
	if err != nil {
		return s.explain(err)
	}
	if err := writeAll(w, m, from); err != nil {
		_ = s.conn.Close() // the server drops what it has
		return s.explain(err)
	}
	if ctx.Err() != nil {
		_ = s.conn.Close() // as above
		return s.explain(ctx.Err())
	}
	s.conn.Wait(lastWait)
	err = w.Close()
	if err == nil {
		return nil
	}
	if _, answered := errors.AsType[*textproto.Error](err); answered {
		return s.explain(err)
	}
	return tool.Fail(tool.OutcomeUnknown,
		"%s did not say whether it took the mail: it may or may not have been sent, and it was not sent again; %s",
		s.server.Address(), Uncertain(m.ID)).
		Because(s.server.Quiet(errors.New(err.Error()))) // the end of the context among its causes would look like one before the effect
}

func writeAll(w io.Writer, m *Mail, from *netmail.Address) error {
	buffered := bufio.NewWriterSize(w, 64<<10)
	if err := m.write(buffered, from); err != nil {
		return err
	}
	return buffered.Flush()
}

// end leaves without waiting for the server's farewell.
func (s *session) end() {
	_, _ = s.Text.Cmd("QUIT") // a courtesy
	_ = s.conn.Close()        // all that matters was answered
}
