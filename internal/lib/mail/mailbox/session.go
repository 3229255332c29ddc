package mailbox

import (
	"context"
	"errors"
	"mime"
	"net"
	"strings"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
	"github.com/emersion/go-message/charset"
	"github.com/emersion/go-sasl"

	"github.com/helve-dev/helve/internal/lib/mail"
	"github.com/helve-dev/helve/tool"
)

// maxAnswers bounds what a server may send in one session, beside the mails that are read.
const maxAnswers = 8 << 20

// Session is a signed-in connection to an IMAP server. It is for one goroutine and must be
// closed.
type Session struct {
	client *imapclient.Client
	conn   *mail.Conn
	server *mail.Server

	folders []Folder // nil until they were listed
	open    string   // the selected folder
	writes  bool     // whether it may be changed
	valid   uint32   // its UIDVALIDITY
}

// Open connects to the server and signs in.
func Open(ctx context.Context, dialer tool.Dialer, server *mail.Server) (*Session, error) {
	return mail.SignIn(ctx, server, func(server *mail.Server) (*Session, error) { return open(ctx, dialer, server) })
}

func open(ctx context.Context, dialer tool.Dialer, server *mail.Server) (*Session, error) {
	conn, err := server.Connect(ctx, dialer, maxAnswers)
	if err != nil {
		return nil, err
	}
	stream, err := secure(conn, server)
	if err != nil {
		_ = conn.Close() // it failed already
		return nil, conn.Explain(err)
	}
	s := &Session{conn: conn, server: server}
	s.client = imapclient.New(&scanned{Conn: stream, conn: conn}, &imapclient.Options{
		WordDecoder: &mime.WordDecoder{CharsetReader: charset.Reader},
	})
	if err := s.signIn(); err != nil {
		s.drop()
		return nil, err
	}
	return s, nil
}

// scanned is a stream that a scanner follows.
//
// A connection that breaks within a literal gives zeros up to the end of the literal, and the
// error behind it: the client library reads a literal that ended early from two goroutines.
type scanned struct {
	net.Conn

	conn *mail.Conn
	scan scanner
	bad  error // of the scanner
}

// Read implements [net.Conn].
func (c *scanned) Read(b []byte) (int, error) {
	if c.bad != nil {
		return 0, c.conn.Fail(c.bad)
	}
	n, err := c.Conn.Read(b)
	if err != nil && n == 0 && c.scan.state == inLiteral {
		n, err = int(min(int64(len(b)), c.scan.literal)), nil
		clear(b[:n])
	}
	if n, c.bad = c.scan.feed(b[:n]); c.bad != nil && n == 0 {
		return 0, c.conn.Fail(c.bad)
	}
	return n, err
}

// Close implements [net.Conn]. It ends the connection itself: TLS would send a farewell first,
// and wait.
func (c *scanned) Close() error { return c.conn.Close() }

func (s *Session) signIn() error {
	if err := s.client.WaitGreeting(); err != nil {
		return s.explain(err)
	}
	state := s.client.State()
	if state == imap.ConnStateAuthenticated { // by the address, for example
		return nil
	}
	if state == imap.ConnStateLogout {
		return s.explain(net.ErrClosed)
	}
	if s.server.Secret() == "" {
		return s.server.Refused("it asks for a password", nil)
	}
	caps := s.client.Caps()
	var err error
	switch {
	case caps == nil:
		return s.explain(errors.New("no capabilities"))
	case s.server.Token():
		err = s.client.Authenticate(&xoauth2{s.server.User, s.server.Secret()})
	case caps.Has(imap.AuthCap("PLAIN")):
		err = s.client.Authenticate(sasl.NewPlainClient("", s.server.User, s.server.Secret()))
	default:
		err = s.client.Login(s.server.User, s.server.Secret()).Wait()
	}
	reply, answered := errors.AsType[*imap.Error](err)
	switch {
	case err == nil:
		return nil
	case !answered || reply.Code == imap.ResponseCodeUnavailable || reply.Code == imap.ResponseCodeInUse:
		return s.explain(err)
	}
	return s.server.Refused(reply.Text, err)
}

// xoauth2 signs in with an access token, as Google and Microsoft define it.
type xoauth2 struct{ user, token string }

// Start implements [sasl.Client].
func (x *xoauth2) Start() (mech string, initial []byte, err error) {
	return "XOAUTH2", []byte("user=" + x.user + "\x01auth=Bearer " + x.token + "\x01\x01"), nil
}

// Next implements [sasl.Client]. A challenge has the reason of a refusal, which follows an
// empty answer.
func (*xoauth2) Next([]byte) ([]byte, error) { return []byte{}, nil }

// Close signs out, without waiting for the server's farewell.
func (s *Session) Close() {
	s.client.Logout()
	s.drop()
}

// drop closes the connection. The client's goroutine has ended when it returns.
func (s *Session) drop() { _ = s.client.Close() }

// explain returns a failure as an error with a kind: a refusal of the server, or one of the
// connection.
func (s *Session) explain(err error) error {
	reply, ok := errors.AsType[*imap.Error](err)
	if !ok {
		return s.conn.Explain(err)
	}
	said := s.server.Clean(strings.TrimSpace(string(reply.Code) + " " + reply.Text))
	if reply.Code == imap.ResponseCodeUnavailable || reply.Code == imap.ResponseCodeInUse || reply.Type == imap.StatusResponseTypeBye {
		return tool.Fail(tool.NetworkError, "%s cannot do this now (%s); try again later", s.server.Address(), said).Because(s.server.Quiet(err))
	}
	return tool.Fail(tool.ExecutionError, "%s refused the command (%s)", s.server.Address(), said).Because(s.server.Quiet(err))
}
