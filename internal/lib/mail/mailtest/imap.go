package mailtest

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
	"github.com/emersion/go-imap/v2/imapserver/imapmemserver"
	"github.com/emersion/go-sasl"
)

// IMAP is an IMAP server with one mailbox in memory.
type IMAP struct {
	// Host and Port are its address.
	Host, Port string

	tb   testing.TB
	user *imapmemserver.User
}

// folders are those of the mailbox, with their uses.
var folders = []struct {
	name string
	use  imap.MailboxAttr
}{
	{"INBOX", ""}, {"Sent", imap.MailboxAttrSent}, {"Trash", imap.MailboxAttrTrash}, {"Archive", imap.MailboxAttrArchive}, {"Büro", ""},
	{"Büro/2026", ""},
}

// usual are capabilities that most servers have.
var usual = []imap.Cap{
	imap.CapIMAP4rev1, imap.CapUIDPlus, imap.CapESearch, imap.CapListExtended, imap.CapSpecialUse, imap.CapMove, imap.CapNamespace,
}

// NewIMAP starts a server with some folders, and with other
// capabilities than the usual if some are named.
func NewIMAP(tb testing.TB, a *Authority, tlsFromStart bool, caps ...imap.Cap) *IMAP {
	tb.Helper()
	s := &IMAP{tb: tb, user: imapmemserver.NewUser(User, Password)}
	for _, f := range folders {
		if err := s.user.Create(f.name, nil); err != nil {
			tb.Fatal(err)
		}
	}
	memory := imapmemserver.New()
	memory.AddUser(s.user)
	o := &imapserver.Options{
		Logger: quiet{},
		NewSession: func(*imapserver.Conn) (imapserver.Session, *imapserver.GreetingData, error) {
			inner, _ := memory.NewSession().(imapserver.SessionIMAP4rev2) // which it is
			return session{inner, s.user}, nil, nil
		},
		TLSConfig: a.Server,
	}
	if tlsFromStart {
		o.InsecureAuth = true // it is secure already
	}
	if len(caps) == 0 {
		caps = usual
	}
	o.Caps = imap.CapSet{}
	for _, c := range caps {
		o.Caps[c] = struct{}{}
	}
	server := imapserver.New(o)
	s.Host, s.Port = serve(tb, server.Serve, a, tlsFromStart)
	tb.Cleanup(func() { _ = server.Close() })
	return s
}

// Put stores a mail in a folder. Line ends become CRLF.
func (s *IMAP) Put(folder, text string, at time.Time, flags ...imap.Flag) {
	s.tb.Helper()
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
	if _, err := s.user.Append(folder, literal{bytes.NewReader([]byte(text))}, &imap.AppendOptions{Time: at, Flags: flags}); err != nil {
		s.tb.Fatal(err)
	}
}

// Count returns the numbers of mails and of unread mails in a folder.
func (s *IMAP) Count(folder string) (mails, unread int) {
	s.tb.Helper()
	data, err := s.user.Status(folder, &imap.StatusOptions{NumMessages: true, NumUnseen: true})
	if err != nil {
		s.tb.Fatal(err)
	}
	return int(*data.NumMessages), int(*data.NumUnseen)
}

type literal struct{ *bytes.Reader }

// Size implements [imap.LiteralReader].
func (l literal) Size() int64 { return int64(l.Len()) }

// session signs in by more ways than that of the server in memory, and knows the uses of
// folders.
type session struct {
	imapserver.SessionIMAP4rev2

	user *imapmemserver.User
}

// AuthenticateMechanisms implements [imapserver.SessionSASL].
func (session) AuthenticateMechanisms() []string { return []string{"PLAIN", "XOAUTH2"} }

// Authenticate implements [imapserver.SessionSASL].
func (s session) Authenticate(mech string) (sasl.Server, error) {
	if mech == "XOAUTH2" {
		return &xoauth2{func(user string) error { return s.Login(user, Password) }, imapserver.ErrAuthFailed}, nil
	}
	return sasl.NewPlainServer(func(_, user, password string) error { return s.Login(user, password) }), nil
}

// List implements [imapserver.Session].
func (s session) List(w *imapserver.ListWriter, _ string, _ []string, o *imap.ListOptions) error {
	for _, f := range folders {
		data := &imap.ListData{Mailbox: f.name, Delim: '/'}
		if f.use != "" && o.ReturnSpecialUse {
			data.Attrs = []imap.MailboxAttr{f.use}
		}
		if _, err := s.user.Status(f.name, &imap.StatusOptions{}); err != nil {
			continue // it was deleted
		}
		if err := w.WriteList(data); err != nil {
			return err
		}
	}
	return nil
}
