package email

import (
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/lib/mail/mailtest"
	"github.com/helve-dev/helve/tool"
)

// TestTokenRefused: after a server has refused the access token of a person's account, SMTP
// and IMAP sign in once more with a new token. A mail is sent once, and if no token is good
// nothing is sent.
func TestTokenRefused(t *testing.T) {
	const stale = "token-that-ended"
	signedBy := func(next string, err error) *world {
		w := newWorld(t)
		for _, service := range []string{"smtp", "imap"} {
			entry := w.secrets[service][0]
			delete(entry.Data, "password")
			entry.Data["account"] = "cloud"
		}
		w.secrets["cloud"] = []tool.ServiceEntry{mailtest.Entry(tool.AccessToken, stale)}
		w.accounts = &mailtest.Accounts{Secrets: w.secrets, Next: next, Err: err}
		w.imap.Put("INBOX", letter("Hello", "Hi"), noon)
		return w
	}
	const list, send = `{}`, `{"to":["ben@example.net"],"subject":"s","body":"b"}`
	w := signedBy(mailtest.Token, nil)
	var found listed
	if w.play("list_emails", list, &found); len(found.Emails) != 1 {
		t.Errorf("list_emails finds %+v", found)
	}
	var res sent
	w.play("send_email", send, &res)
	if n := len(w.smtp.Mails()); n != 1 || w.smtp.Logins() != 1 || res.Status != "sent" {
		t.Errorf("%d mails after %d logins", n, w.smtp.Logins())
	}
	if got := w.accounts.Refused(); !slices.Equal(got, []string{"cloud " + stale, "cloud " + stale}) {
		t.Errorf("the tokens %v were reported", got)
	}
	missing := &tool.AccountMissing{Service: "cloud"}
	for name, tt := range map[string]struct {
		next string
		err  error
	}{
		"no token is good":    {"another-stale-token", nil},
		"the account is lost": {"", tool.Fail(tool.NotConfigured, "connect it: helve config connect cloud").Because(missing)},
	} {
		w := signedBy(tt.next, tt.err)
		for used, args := range map[string]string{"list_emails": list, "send_email": send} {
			_, err := w.try(used, args)
			e := tool.AsError(err)
			if e == nil || e.Kind != tool.NotConfigured || !strings.Contains(e.Msg, "helve config connect cloud") ||
				(tool.MissingAccount(err) == missing) != (tt.err != nil) {
				t.Errorf("%s, %s: %v", name, used, err)
			}
			if err != nil && (strings.Contains(err.Error(), stale) || tt.next != "" && strings.Contains(err.Error(), tt.next)) {
				t.Errorf("%s, %s: the error shows a token: %v", name, used, err)
			}
		}
		if len(w.smtp.Mails()) > 0 || len(w.accounts.Refused()) != 2 {
			t.Errorf("%s: %d mails, reported %v", name, len(w.smtp.Mails()), w.accounts.Refused())
		}
	}
}
