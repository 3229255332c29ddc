package mail

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

// secrets are the entries of services in a test.
type secrets map[string][]tool.ServiceEntry

var errParked = tool.Fail(tool.ConfirmationRequired, "connect the account first")

func (s secrets) Entries(_ context.Context, service string) ([]tool.ServiceEntry, error) {
	if service == "parked" {
		return nil, errParked
	}
	return s[service], nil
}

func entry(pairs ...string) tool.ServiceEntry {
	e := tool.ServiceEntry{Label: "default", Active: true, Data: map[string]string{}}
	for i := 0; i+1 < len(pairs); i += 2 {
		e.Data[pairs[i]] = pairs[i+1]
	}
	return e
}

func TestOf(t *testing.T) {
	all := secrets{
		"google": {{Active: false, Data: map[string]string{"access_token": "inactive"}}, entry("access_token", "token-1")},
		"empty":  {entry("client_id", "x")},
	}
	for _, tt := range []struct {
		name, service string
		entry         tool.ServiceEntry
		address, tls  string
		message       string
	}{
		{"SMTP", SMTP, entry("host", "mail.example.com", "from", "a@example.com"), "mail.example.com:587", StartTLS, ""},
		{"SMTP with TLS", SMTP, entry("host", "mail.example.com", "port", "465"), "mail.example.com:465", TLS, ""},
		{"SMTP without encryption", SMTP, entry("host", "mail.example.com", "port", "25", "tls", "none"), "mail.example.com:25", Plain, ""},
		{"IMAP", IMAP, entry("host", " mail.example.com ", "user", "a", "password", "p"), "mail.example.com:993", TLS, ""},
		{"IMAP with STARTTLS", IMAP, entry("host", "::1", "port", "143", "user", "a", "password", "p"), "[::1]:143", StartTLS, ""},
		{"account", IMAP, entry("host", "mail.example.com", "user", "a", "account", "google"), "mail.example.com:993", TLS, ""},
		{"no host", SMTP, entry("from", "a@example.com"), "", "", "helve config set smtp host=mail.example.com"},
		{"host with a path", SMTP, entry("host", "mail.example.com/x"), "", "", "host=mail.example.com"},
		{"host with a port", SMTP, entry("host", "mail.example.com:25"), "", "", "host=mail.example.com"},
		{"no port", SMTP, entry("host", "mail.example.com", "port", "0"), "", "", "port=587"},
		{"half a port", SMTP, entry("host", "mail.example.com", "port", "587.5"), "", "", "port=587"},
		{
			"password unencrypted", SMTP, entry("host", "mail.example.com", "user", "a", "password", "p", "tls", "none"), "", "",
			"helve config set smtp tls=starttls",
		},
		{
			"token unencrypted", IMAP, entry("host", "mail.example.com", "user", "a", "account", "google", "tls", "none"), "", "",
			"helve config set imap tls=starttls",
		},
		{"no password", IMAP, entry("host", "mail.example.com", "user", "a"), "", "", "helve config set imap --stdin password"},
		{"password without user", SMTP, entry("host", "mail.example.com", "password", "p"), "", "", "user=NAME"},
		{"no certificate", SMTP, entry("host", "mail.example.com", "ca", "x"), "", "", "--from-file ca=FILE.pem"},
		{"account that is not connected", SMTP, entry("host", "mail.example.com", "account", "empty"), "", "", "helve config connect empty"},
	} {
		s, err := Of(t.Context(), all, tt.service, tt.entry)
		switch e := tool.AsError(err); {
		case tt.message != "":
			if e == nil || e.Kind != tool.NotConfigured || !strings.Contains(e.Msg, tt.message) {
				t.Errorf("%s: error %v, want not_configured with %q", tt.name, err, tt.message)
			}
		case err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case s.Address() != tt.address || s.Security != tt.tls:
			t.Errorf("%s: %s with %s, want %s with %s", tt.name, s.Address(), s.Security, tt.address, tt.tls)
		}
	}
	if _, err := Of(t.Context(), all, IMAP, entry("host", "h.example", "user", "a", "account", "parked")); !errors.Is(err, errParked) {
		t.Errorf("error %v, want that of the config center, unchanged", err)
	}
	s, err := Of(t.Context(), all, SMTP, entry("host", "h.example", "from", "Ann <ann@example.com>", "account", "google"))
	if err != nil || s.Secret() != "token-1" || !s.Token() || s.User != "ann@example.com" {
		t.Errorf("account: secret %q, user %q, %v", s.Secret(), s.User, err)
	}
	for _, text := range []string{s.String(), s.GoString(), s.Clean("bad token-1\r\n" + strings.Repeat("x", 500))} {
		if strings.Contains(text, "token-1") || len(text) > 300 || strings.Contains(text, "\n") {
			t.Errorf("%q shows the secret, or is long", text)
		}
	}
}

func TestFind(t *testing.T) {
	call := &tool.Call{Tenant: "acme", User: "ann", Secrets: secrets{}}
	_, err := Find(t.Context(), call, SMTP)
	e := tool.AsError(err)
	if e == nil || e.Kind != tool.NotConfigured ||
		!strings.Contains(e.Msg, `The service "smtp" is not configured, neither for ann nor for the tenant acme. It is needed to send mails. Set it: helve config set smtp host=HOST`) {
		t.Errorf("error %v", err)
	}
	if s, err := FindIf(t.Context(), call, IMAP); s != nil || err != nil {
		t.Errorf("FindIf: %v, %v", s, err)
	}
	off := entry("host", "off.example")
	off.Active = false
	call.Secrets = secrets{SMTP: {off, entry("host", "on.example")}}
	if s, err := Find(t.Context(), call, SMTP); err != nil || s.Host != "on.example" {
		t.Errorf("Find: %v, %v, want the first active entry", s, err)
	}
}

// refusing is a dialer that records what may be reached, and refuses.
type refusing struct{ reach []string }

func (d *refusing) DialContext(ctx context.Context, _, address string) (net.Conn, error) {
	d.reach = tool.Reachable(ctx)
	return nil, tool.Fail(tool.PermissionDenied, "%s is internal", address)
}

// The tenant's entry opens the guard for its address, a person's own does not.
func TestReach(t *testing.T) {
	for _, shared := range []bool{true, false} {
		e := entry("host", "mail.internal", "port", "2525")
		e.Shared = shared
		s, err := Of(t.Context(), secrets{}, SMTP, e)
		if err != nil {
			t.Fatal(err)
		}
		d := &refusing{}
		if _, err := s.Connect(t.Context(), d, 1); tool.AsError(err).Kind != tool.PermissionDenied {
			t.Errorf("error %v, want that of the guard", err)
		}
		if opened := len(d.reach) == 1 && d.reach[0] == "mail.internal:2525"; opened != shared {
			t.Errorf("shared %v: reach %q", shared, d.reach)
		}
	}
}

// TestRepliesAreQuiet: whatever a server repeats of the password, neither the message nor the
// cause of an error has it.
func TestRepliesAreQuiet(t *testing.T) {
	s, err := Of(t.Context(), secrets{}, SMTP, entry("host", "mail.example.com", "user", "ann", "password", "hunter2"))
	if err != nil {
		t.Fatal(err)
	}
	said := errors.New("535 5.7.8 no <hunter2> AGFubgBodW50ZXIy")
	conn := newConn(t.Context(), nil, s, 1)
	conn.stop()
	for name, err := range map[string]error{
		"refused":   s.Refused(said.Error(), said),
		"senseless": s.Senseless(said),
		"explained": conn.Explain(said),
		"clean":     errors.New(s.Clean(said.Error())),
	} {
		if text := err.Error(); strings.Contains(text, "hunter2") || strings.Contains(text, "AGFubg") {
			t.Errorf("%s: %s", name, text)
		}
	}
}
