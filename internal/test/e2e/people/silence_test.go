package people

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/lib/mail/mailtest"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// silent speaks SMTP until it has a mail, and does not say whether it takes it.
func silent(conn net.Conn) {
	if _, err := io.WriteString(conn, "220 hello\r\n"); err != nil {
		return
	}
	for lines := bufio.NewScanner(conn); lines.Scan(); {
		reply := "250 ok\r\n"
		if lines.Text() == "DATA" {
			reply = "354 go on\r\n"
		}
		if _, err := io.WriteString(conn, reply); err != nil {
			return
		}
		if lines.Text() == "DATA" {
			_, _ = io.Copy(io.Discard, conn) // the mail, until the client leaves
			return
		}
	}
}

// TestSilence: a call whose time ends while the server is silent after the mail is no call that
// did nothing: with its error the mail can be found.
func TestSilence(t *testing.T) {
	t.Parallel()
	host, port := mailtest.Script(t, silent)
	s := system.Launch(t, system.Plan{Config: func(c *config.Config) { c.Profile, c.Groups = "auto", []string{"email=on"} }})
	d := s.HTTP(0)
	if r := d.Ask(t, "default", "services.set", map[string]string{"service": "smtp", "label": "default"},
		fmt.Sprintf(`{"fields": {"host": %q, "port": %q, "tls": "none", "from": "ann@example.com"}}`, host, port)); r.Status != 200 {
		t.Fatalf("services.set = %d %s", r.Status, r.Body)
	}
	var e system.Element
	for _, ms := range []int{500, 5000, 20000} { // the entry may arrive late, and a busy machine may be slow
		e = system.Execute(t, d, "default",
			fmt.Sprintf(`{"wait_ms": 30000, "calls": [{"tool": "send_email", "timeout_ms": %d, "arguments": {"to": ["ben@example.net"], "subject": "s", "body": "b"}}]}`, ms)).Results[0]
		if e.ErrorType == "outcome_unknown" {
			break
		}
	}
	if e.ErrorType != "outcome_unknown" || !strings.Contains(e.Message, "search_emails") || !strings.Contains(e.Message, "@helve.internal>") ||
		strings.Count(e.Message, "search_emails") != 1 {
		t.Errorf("%v, want outcome_unknown that says once how to find the mail", e)
	}
}
