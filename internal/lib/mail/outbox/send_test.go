package outbox

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
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

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testtime.Patience())
	t.Cleanup(cancel)
	return ctx
}

// account returns a server as an entry with these further fields has it.
func account(t *testing.T, host, port string, pairs ...string) *mail.Server {
	t.Helper()
	secrets := mailtest.Secrets{"google": {mailtest.Entry("access_token", mailtest.Token)}, "stale": {mailtest.Entry("access_token", "old")}}
	s, err := mail.Of(t.Context(), secrets, mail.SMTP,
		mailtest.Entry(append([]string{"host", host, "port", port, "from", "Ann <" + mailtest.User + ">"}, pairs...)...))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func letter(to ...string) *Mail {
	return &Mail{
		ID:      MessageID("default", "call-1"),
		Date:    time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC),
		From:    "Ann <ann@example.com>",
		To:      to,
		Subject: "Hello",
		Body:    "Hi\n",
	}
}

func kind(err error) tool.Kind {
	if e := tool.AsError(err); e != nil {
		return e.Kind
	}
	return ""
}

// signedIn is an account on a server with STARTTLS.
func signedIn(t *testing.T) (*mailtest.SMTP, *mail.Server) {
	t.Helper()
	a := mailtest.NewAuthority(t, "127.0.0.1")
	s := mailtest.NewSMTP(t, a, false)
	return s, account(t, s.Host, s.Port, "ca", a.PEM, "user", mailtest.User, "password", mailtest.Password)
}

func TestSend(t *testing.T) {
	s, server := signedIn(t)
	m := letter("ben@example.net", "ben@example.net")
	m.Cc, m.Bcc = []string{"cid@example.net"}, []string{"dan@example.net", "ben@example.net"}
	accepted, err := Send(within(t), direct{}, server, m)
	want := []string{"ben@example.net", "cid@example.net", "dan@example.net"}
	if err != nil || !slices.Equal(accepted, want) {
		t.Fatalf("accepted %q, %v, want %q", accepted, err, want)
	}
	got := s.Mails()
	if len(got) != 1 || got[0].From != "ann@example.com" || !slices.Equal(got[0].To, want) {
		t.Fatalf("the server took %+v", got)
	}
	if strings.Contains(got[0].Text, "dan@example.net") || !strings.Contains(got[0].Text, "Message-Id: "+m.ID+"\r\n") {
		t.Errorf("the mail is\n%s", got[0].Text)
	}
	if s.Logins() != 1 {
		t.Errorf("%d sessions signed in, want 1", s.Logins())
	}
}

func TestSignIn(t *testing.T) {
	a := mailtest.NewAuthority(t, "127.0.0.1")
	upgraded, implicit := mailtest.NewSMTP(t, a, false), mailtest.NewSMTP(t, a, true)
	for _, tt := range []struct {
		name    string
		server  *mailtest.SMTP
		pairs   []string
		want    tool.Kind
		message string
		code    int
	}{
		{"STARTTLS", upgraded, []string{"ca", a.PEM, "user", mailtest.User, "password", mailtest.Password}, "", "", 250},
		{"TLS", implicit, []string{"tls", "tls", "ca", a.PEM, "user", mailtest.User, "password", mailtest.Password}, "", "", 250},
		{"no account", upgraded, []string{"ca", a.PEM}, "", "", 250},
		{"plain without password", upgraded, []string{"tls", "none"}, "", "", 250},
		{"access token", upgraded, []string{"ca", a.PEM, "account", "google"}, "", "", 250},
		{"stale access token", upgraded, []string{"ca", a.PEM, "account", "stale"}, tool.NotConfigured, "helve config connect stale", 0},
		{
			"wrong password", upgraded, []string{"ca", a.PEM, "user", mailtest.User, "password", "secret-wrong"}, tool.NotConfigured,
			"helve config set smtp user=NAME --stdin password", 535,
		},
		{
			"unknown authority", upgraded, []string{"user", mailtest.User, "password", mailtest.Password}, tool.NetworkError,
			"--from-file ca=FILE.pem", 0,
		},
		{"TLS where STARTTLS is spoken", upgraded, []string{"tls", "tls", "ca", a.PEM}, tool.NetworkError, "tls or starttls", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, err := Try(within(t), direct{}, account(t, tt.server.Host, tt.server.Port, tt.pairs...))
			if kind(err) != tt.want || tt.want != "" && !strings.Contains(err.Error(), tt.message) || tt.code != 0 && code != tt.code {
				t.Errorf("code %d, error %v, want %d, kind %q with %q", code, err, tt.code, tt.want, tt.message)
			}
			if err != nil && strings.Contains(fmt.Sprint(err), "secret-wrong") {
				t.Errorf("the error shows the password: %v", err)
			}
		})
	}
}

// A mail goes to all of its recipients, or to none.
func TestRefusedRecipients(t *testing.T) {
	s, server := signedIn(t)
	s.Recipient = func(address string) error {
		switch {
		case strings.HasPrefix(address, "gone"):
			return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no such user"}
		case strings.HasPrefix(address, "later"):
			return &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 7, 1}, Message: "greylisted"}
		}
		return nil
	}
	for _, tt := range []struct {
		to      []string
		want    tool.Kind
		message string
	}{
		{
			[]string{"ben@example.net", "gone@example.net"}, tool.ExecutionError,
			"refused 1 of 2 recipients, so nothing was sent: gone@example.net (550 5.1.1 no such user)",
		},
		{[]string{"later@example.net"}, tool.NetworkError, "try again later"},
	} {
		if _, err := Send(within(t), direct{}, server, letter(tt.to...)); kind(err) != tt.want || !strings.Contains(err.Error(), tt.message) {
			t.Errorf("%q: error %v, want %s with %q", tt.to, err, tt.want, tt.message)
		}
	}
	if got := s.Mails(); len(got) != 0 {
		t.Errorf("the server took %+v", got)
	}
}

func TestRefusedMail(t *testing.T) {
	s, server := signedIn(t)
	for code, want := range map[int]tool.Kind{550: tool.ExecutionError, 552: tool.FileTooLarge, 451: tool.NetworkError} {
		s.Took = func(mailtest.Mail) error { return &smtp.SMTPError{Code: code, Message: "no"} }
		if _, err := Send(within(t), direct{}, server, letter("ben@example.net")); kind(err) != want ||
			!strings.Contains(err.Error(), "nothing was sent") {
			t.Errorf("%d after the mail: %v, want %s, because the server did not take it", code, err, want)
		}
	}
}

// TestInternational sends to addresses beyond ASCII.
func TestInternational(t *testing.T) {
	s, server := signedIn(t)
	if _, err := Send(within(t), direct{}, server, letter("ben@bücher.example")); err != nil {
		t.Fatal(err)
	}
	s.UTF8 = true
	if _, err := Send(within(t), direct{}, server, letter("jürgen@bücher.example")); err != nil {
		t.Fatal(err)
	}
	got := s.Mails()
	if len(got) != 2 || got[0].To[0] != "ben@xn--bcher-kva.example" || got[1].To[0] != "jürgen@xn--bcher-kva.example" {
		t.Errorf("the server took %+v", got)
	}
}

// conversation is a server without TLS that answers each command with the reply for its first
// word, and hangs or leaves where one says so.
func conversation(t *testing.T, replies map[string]string) (server *mail.Server, hung chan struct{}, got *strings.Builder) {
	t.Helper()
	hung, got = make(chan struct{}), &strings.Builder{}
	usual := map[string]string{
		"greeting": "220 hi\r\n", "EHLO": "250-hi\r\n250 8BITMIME\r\n", "MAIL": "250 ok\r\n", "RCPT": "250 ok\r\n", "DATA": "354 go\r\n",
		".": "250 taken\r\n", "QUIT": "221 bye\r\n",
	}
	host, port := mailtest.Script(t, func(conn net.Conn) {
		lines := bufio.NewReader(conn)
		reply := func(command string) bool {
			text, special := replies[command]
			if !special {
				text = usual[command]
			}
			switch text {
			case hang:
				close(hung)
				_, _ = io.Copy(io.Discard, conn) // until the client leaves
				return false
			case leave:
				return false
			}
			_, err := io.WriteString(conn, text)
			return err == nil
		}
		inMail := false
		for ok := reply("greeting"); ok; {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			got.WriteString(line)
			word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
			if inMail && word != "." {
				continue
			}
			inMail = word == "DATA"
			ok = reply(word)
		}
	})
	return account(t, host, port, "tls", "none"), hung, got
}

const hang, leave = "hang", "leave"

// TestPhases has a server that is silent, leaves, or talks nonsense at each step. Only after
// the last byte of the mail the outcome is unknown.
func TestPhases(t *testing.T) {
	for _, tt := range []struct {
		step, reply string
		want        tool.Kind
	}{
		{"greeting", hang, tool.Cancelled},
		{"EHLO", hang, tool.Cancelled},
		{"MAIL", hang, tool.Cancelled},
		{"RCPT", hang, tool.Cancelled},
		{"DATA", hang, tool.Cancelled},
		{".", hang, tool.OutcomeUnknown},
		{"greeting", leave, tool.NetworkError},
		{"MAIL", leave, tool.NetworkError},
		{"DATA", leave, tool.NetworkError},
		{".", leave, tool.OutcomeUnknown},
		{"greeting", "HTTP/1.1 400 Bad Request\r\n\r\n", tool.ExecutionError},
		{"greeting", "554 go away\r\n", tool.ExecutionError},
		{"greeting", "421 busy\r\n", tool.NetworkError},
		{"greeting", strings.Repeat("220-x\r\n", 200<<10), tool.ExecutionError},
		{"greeting", "220 " + strings.Repeat("x", 2<<20), tool.ExecutionError},
		{"MAIL", "530 sign in first\r\n", tool.NotConfigured},
		{"MAIL", "\x00\x01\x02\r\n", tool.ExecutionError},
		{"RCPT", "421 busy\r\n", tool.NetworkError},
		{"DATA", "554 no\r\n", tool.ExecutionError},
		{".", "nonsense\r\n", tool.OutcomeUnknown},
		{".", "554 spam\r\n", tool.ExecutionError},
	} {
		t.Run(fmt.Sprintf("%s %.20q", tt.step, tt.reply), func(t *testing.T) {
			server, hung, _ := conversation(t, map[string]string{tt.step: tt.reply})
			ctx, cancel := context.WithCancel(within(t))
			defer cancel()
			go func() {
				select {
				case <-hung:
					cancel()
				case <-ctx.Done():
				}
			}()
			m := letter("ben@example.net")
			_, err := Send(ctx, direct{}, server, m)
			if kind(err) != tt.want {
				t.Errorf("error %v, want %s", err, tt.want)
			}
			unknown := tt.want == tool.OutcomeUnknown
			if unknown != strings.Contains(err.Error(), m.ID) || unknown != strings.Contains(err.Error(), "search_emails") {
				t.Errorf("the message %q names the Message-ID although the outcome is known, or does not", err)
			}
			if unknown && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
				t.Errorf("the error wraps %v, which means that nothing was done", context.Cause(ctx))
			}
		})
	}
}

// A file that cannot be read to its end ends the mail before the server can take it.
func TestBrokenAttachment(t *testing.T) {
	server, _, got := conversation(t, nil)
	m := letter("ben@example.net")
	gone := tool.Fail(tool.FileNotFound, "it was removed")
	m.Attachments = []Attachment{{Name: "x", Type: "text/plain", Size: 10, Open: func() (io.ReadCloser, error) { return nil, gone }}}
	if _, err := Send(within(t), direct{}, server, m); kind(err) != tool.FileNotFound {
		t.Errorf("error %v, want that of the file", err)
	}
	t.Cleanup(func() {
		if strings.Contains(got.String(), "\r\n.\r\n") {
			t.Errorf("the mail was ended:\n%s", got)
		}
	})
}

func TestTooLarge(t *testing.T) {
	server, _, _ := conversation(t, map[string]string{"EHLO": "250-hi\r\n250 SIZE 20000\r\n"})
	m := letter("ben@example.net")
	m.Attachments = []Attachment{{Name: "x", Type: "text/plain", Size: 100_000}}
	if _, err := Send(within(t), direct{}, server, m); kind(err) != tool.FileTooLarge || !strings.Contains(err.Error(), "at most 20000") {
		t.Errorf("error %v, want file_too_large before anything is sent", err)
	}
	m = letter("jürgen@example.net")
	if _, err := Send(within(t), direct{}, server, m); kind(err) != tool.Unsupported {
		t.Errorf("error %v, want unsupported: the server has no SMTPUTF8", err)
	}
}

// No password goes to a server that does not encrypt, whatever it says.
func TestNoStartTLS(t *testing.T) {
	var seen strings.Builder
	t.Cleanup(func() { // after the conversation, for which Script waits
		if strings.Contains(seen.String(), "AUTH") {
			t.Errorf("the server was sent %q", &seen)
		}
	})
	host, port := mailtest.Script(t, func(conn net.Conn) {
		_, _ = io.WriteString(conn, "220 hi\r\n")
		for lines := bufio.NewReader(conn); ; {
			line, err := lines.ReadString('\n')
			seen.WriteString(line)
			if err != nil {
				return
			}
			_, _ = io.WriteString(conn, "250-hi\r\n250 AUTH PLAIN LOGIN\r\n")
		}
	})
	_, err := Send(within(t), direct{}, account(t, host, port, "user", "ann", "password", "secret"), letter("ben@example.net"))
	if kind(err) != tool.NotConfigured || !strings.Contains(err.Error(), "helve config set smtp tls=tls") {
		t.Errorf("error %v, want not_configured with the command", err)
	}
}
