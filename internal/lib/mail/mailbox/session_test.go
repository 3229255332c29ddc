package mailbox

import (
	"context"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"
	"go.uber.org/goleak"

	"github.com/helve-dev/helve/internal/lib/mail"
	"github.com/helve-dev/helve/internal/lib/mail/mailtest"
	"github.com/helve-dev/helve/internal/test/testtime"
	"github.com/helve-dev/helve/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// direct dials without a guard.
type direct struct{}

func (direct) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, network, address)
}

// within bounds a test whose server may be silent.
func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testtime.Patience())
	t.Cleanup(cancel)
	return ctx
}

// account returns a server as an entry with these further fields has it.
func account(t *testing.T, host, port string, pairs ...string) *mail.Server {
	t.Helper()
	secrets := mailtest.Secrets{
		"google": {mailtest.Entry("access_token", mailtest.Token)}, "stale": {mailtest.Entry("access_token", "old-token")},
	}
	s, err := mail.Of(t.Context(), secrets, mail.IMAP,
		mailtest.Entry(append([]string{"host", host, "port", port, "user", mailtest.User}, pairs...)...))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// box starts a server in memory and opens its mailbox.
func box(t *testing.T, caps ...imap.Cap) (*mailtest.IMAP, *Session) {
	t.Helper()
	a := mailtest.NewAuthority(t, "127.0.0.1")
	server := mailtest.NewIMAP(t, a, true, caps...)
	s, err := Open(within(t), direct{}, account(t, server.Host, server.Port, "password", mailtest.Password, "tls", "tls", "ca", a.PEM))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return server, s
}

func kind(err error) tool.Kind {
	if e := tool.AsError(err); e != nil {
		return e.Kind
	}
	return ""
}

func TestOpen(t *testing.T) {
	a := mailtest.NewAuthority(t, "127.0.0.1")
	implicit, upgraded := mailtest.NewIMAP(t, a, true), mailtest.NewIMAP(t, a, false)
	other := mailtest.NewAuthority(t, "127.0.0.1")
	elsewhere := mailtest.NewAuthority(t, "mail.example.net")
	wrongHost := mailtest.NewIMAP(t, elsewhere, true)
	for _, tt := range []struct {
		name    string
		server  *mailtest.IMAP
		pairs   []string
		want    tool.Kind
		message string
	}{
		{"TLS", implicit, []string{"tls", "tls", "ca", a.PEM, "password", mailtest.Password}, "", ""},
		{"STARTTLS", upgraded, []string{"tls", "starttls", "ca", a.PEM, "password", mailtest.Password}, "", ""},
		{"access token", implicit, []string{"tls", "tls", "ca", a.PEM, "account", "google"}, "", ""},
		{"access token over STARTTLS", upgraded, []string{"tls", "starttls", "ca", a.PEM, "account", "google"}, "", ""},
		{
			"stale access token", implicit, []string{"tls", "tls", "ca", a.PEM, "account", "stale"}, tool.NotConfigured,
			"helve config connect stale",
		},
		{
			"wrong password", implicit, []string{"tls", "tls", "ca", a.PEM, "password", "wrong"}, tool.NotConfigured,
			"helve config set imap user=NAME --stdin password",
		},
		{"authority of nobody", implicit, []string{"tls", "tls", "password", mailtest.Password}, tool.NetworkError, "--from-file ca=FILE.pem"},
		{
			"another authority", implicit, []string{"tls", "tls", "ca", other.PEM, "password", mailtest.Password}, tool.NetworkError,
			"the certificate of 127.0.0.1",
		},
		{
			"certificate of another host", wrongHost, []string{"tls", "tls", "ca", elsewhere.PEM, "password", mailtest.Password}, tool.NetworkError,
			"the certificate of 127.0.0.1",
		},
		{
			"TLS where STARTTLS is spoken", upgraded, []string{"tls", "tls", "ca", a.PEM, "password", mailtest.Password}, tool.NetworkError,
			"tls or starttls",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := Open(within(t), direct{}, account(t, tt.server.Host, tt.server.Port, tt.pairs...))
			if err == nil {
				defer s.Close()
				_, err = s.Search("INBOX", &Query{Limit: 1})
			}
			if kind(err) != tt.want || tt.want != "" && !strings.Contains(err.Error(), tt.message) {
				t.Errorf("error %v, want kind %q with %q", err, tt.want, tt.message)
			}
			if err != nil && (strings.Contains(err.Error(), mailtest.Password) || strings.Contains(err.Error(), mailtest.Token)) {
				t.Errorf("the error %v shows a secret", err)
			}
		})
	}
}

// letter returns a simple mail.
func letter(subject, body string, more ...string) string {
	return "From: Ben <ben@example.net>\nTo: ann@example.com\nSubject: " + subject + "\nDate: Mon, 23 Nov 2026 10:00:00 +0100\n" +
		strings.Join(more, "") + "\n" + body + "\n"
}

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// subjects returns those of the mails that match.
func subjects(t *testing.T, s *Session, folder string, q *Query) []string {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = 50
	}
	found, err := s.Search(folder, q)
	if err != nil {
		t.Fatal(err)
	}
	all := []string{}
	for _, m := range found.Mails {
		all = append(all, m.Subject)
	}
	return all
}

func TestSearch(t *testing.T) {
	server, s := box(t)
	yes, no := true, false
	day := func(n int) time.Time { return noon.AddDate(0, 0, n) }
	server.Put("INBOX", letter("one", "alpha beta"), day(0))
	server.Put("INBOX",
		letter("=?utf-8?q?zwei_=C3=A4?=", "gamma Größe", "Message-ID: <two@example.net>\n", "Content-Type: text/plain; charset=utf-8\n"), day(1),
		imap.FlagSeen)
	server.Put("INBOX",
		letter("three", "--b\n\nalpha\n--b\nContent-Type: application/pdf\nContent-Disposition: attachment; filename=x.pdf\n\nx\n--b--",
			"Content-Type: multipart/mixed; boundary=b\n"),
		day(2), imap.FlagFlagged)
	server.Put("Archive", letter("four", "alpha delta"), day(-3), imap.FlagSeen)
	server.Put("Büro", letter("five", "alpha"), day(5), imap.FlagSeen)
	for _, tt := range []struct {
		name   string
		folder string
		q      Query
		want   []string
	}{
		{"newest first", "INBOX", Query{}, []string{"three", "zwei ä", "one"}},
		{"limit", "INBOX", Query{Limit: 2}, []string{"three", "zwei ä"}},
		{"unread", "INBOX", Query{Unread: true}, []string{"three", "one"}},
		{"starred", "INBOX", Query{Starred: &yes}, []string{"three"}},
		{"not starred", "INBOX", Query{Starred: &no}, []string{"zwei ä", "one"}},
		{"since is a day", "INBOX", Query{Since: noon.AddDate(0, 0, 1).Truncate(24 * time.Hour)}, []string{"three", "zwei ä"}},
		{"before excludes its day", "INBOX", Query{Before: noon.AddDate(0, 0, 1).Truncate(24 * time.Hour)}, []string{"one"}},
		{"sender", "INBOX", Query{From: "BEN@example"}, []string{"three", "zwei ä", "one"}},
		{"subject beyond ASCII", "INBOX", Query{Subject: "Ä"}, []string{"zwei ä"}},
		{"text beyond ASCII", "INBOX", Query{Text: "größe"}, []string{"zwei ä"}},
		{"all words", "INBOX", Query{Text: "beta alpha"}, []string{"one"}},
		{"a text in quotes", "INBOX", Query{Text: `"beta alpha"`}, []string{}},
		{"Message-ID", "", Query{Text: "<two@example.net>"}, []string{"zwei ä"}},
		{"Message-ID without brackets", "", Query{Text: "two@example.net"}, []string{"zwei ä"}},
		{"address", "", Query{Text: "ben@example.net", Limit: 1}, []string{"five"}},
		{"with files", "INBOX", Query{Files: &yes}, []string{"three"}},
		{"without files", "INBOX", Query{Files: &no}, []string{"zwei ä", "one"}},
		{"all folders", "", Query{Text: "alpha"}, []string{"five", "three", "one", "four"}},
		{"folder beyond ASCII", "Büro", Query{}, []string{"five"}},
		{"folder by use", "archive", Query{}, []string{"four"}},
		{"inbox in small letters", "inbox", Query{Limit: 1}, []string{"three"}},
	} {
		if got := subjects(t, s, tt.folder, &tt.q); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	if _, err := s.Search("Nowhere", &Query{Limit: 1}); kind(err) != tool.NotFound || !strings.Contains(err.Error(), "Archive, ") {
		t.Errorf("an unknown folder: %v, want not_found with the folders", err)
	}
	found, err := s.Search("INBOX", &Query{Limit: 2})
	if err != nil || found.Total != 3 || !found.More {
		t.Errorf("found %d, more %v, %v, want 3 and more", found.Total, found.More, err)
	}
	three := found.Mails[0]
	if !three.HasFiles || !three.Starred || !three.Unread || three.Preview != "alpha" || three.From[0].String() != "Ben <ben@example.net>" ||
		three.To[0].Address != "ann@example.com" || three.Size < 100 || !three.Date.Equal(time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)) {
		t.Errorf("summary %+v", three)
	}
}
