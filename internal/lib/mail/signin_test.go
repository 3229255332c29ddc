package mail_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/helve-dev/helve/internal/lib/mail"
	"github.com/helve-dev/helve/internal/lib/mail/mailtest"
	"github.com/helve-dev/helve/tool"
)

// TestSignIn: a token that the server refuses is replaced once; a password, a failure of
// another kind and an entry that is no account are not tried again.
func TestSignIn(t *testing.T) {
	missing := &tool.AccountMissing{Service: "cloud", Reason: "it was revoked"}
	lost := tool.Fail(tool.NotConfigured, "connect it").Because(missing)
	broken := errors.New("the connection broke")
	for name, tt := range map[string]struct {
		pairs []string
		// next is the token after the first one; the server accepts valid.
		next, valid string
		fails       error // the replacement
		breaks      error // the connection
		plain       bool  // the port replaces no tokens
		opened      []string
		refused     []string
		kind        tool.Kind
	}{
		"a valid token": {pairs: []string{"account", "cloud"}, valid: "at-1", opened: []string{"at-1"}},
		"a token that ended": {
			pairs: []string{"account", "cloud"}, next: "at-2", valid: "at-2", opened: []string{"at-1", "at-2"}, refused: []string{"cloud at-1"},
		},
		"no token is good": {
			pairs: []string{"account", "cloud"}, next: "at-2", valid: "at-3", opened: []string{"at-1", "at-2"}, refused: []string{"cloud at-1"},
			kind: tool.NotConfigured,
		},
		"an account is lost": {
			pairs: []string{"account", "cloud"}, fails: lost, opened: []string{"at-1"}, refused: []string{"cloud at-1"}, kind: tool.NotConfigured,
		},
		"no new token": {
			pairs: []string{"account", "cloud"}, opened: []string{"at-1"}, refused: []string{"cloud at-1"}, kind: tool.NotConfigured,
		},
		"a broken connection": {
			pairs: []string{"account", "cloud"}, next: "at-2", valid: "at-2", breaks: broken, opened: []string{"at-1"}, kind: tool.ExecutionError,
		},
		"a port of tokens": {
			pairs: []string{"account", "cloud"}, next: "at-2", valid: "at-2", plain: true, opened: []string{"at-1"}, kind: tool.NotConfigured,
		},
		"a password": {
			pairs: []string{"password", "secret"}, next: "at-2", valid: "at-2", opened: []string{"secret"}, kind: tool.NotConfigured,
		},
	} {
		accounts := &mailtest.Accounts{
			Secrets: mailtest.Secrets{"cloud": {mailtest.Entry(tool.AccessToken, "at-1")}}, Next: tt.next, Err: tt.fails,
		}
		var secrets tool.Secrets = accounts
		if tt.plain {
			secrets = accounts.Secrets
		}
		entry := mailtest.Entry(append([]string{"host", "127.0.0.1", "user", mailtest.User}, tt.pairs...)...)
		server, err := mail.Of(t.Context(), secrets, mail.IMAP, entry)
		if err != nil {
			t.Fatal(err)
		}
		var opened []string
		got, err := mail.SignIn(context.Background(), server, func(s *mail.Server) (string, error) {
			opened = append(opened, s.Secret())
			switch {
			case tt.breaks != nil:
				return "", tt.breaks
			case s.Secret() != tt.valid:
				return "", s.Refused("no", nil)
			}
			return "signed in", nil
		})
		kind := tool.Kind("")
		if err != nil {
			kind = tool.AsError(err).Kind
		}
		if kind != tt.kind || (err == nil) != (got == "signed in") || !slices.Equal(opened, tt.opened) ||
			!slices.Equal(accounts.Refused(), tt.refused) {
			t.Errorf("%s: %q, %v after %v, with %v reported", name, got, err, opened, accounts.Refused())
		}
		if (tool.MissingAccount(err) == missing) != (tt.fails != nil) {
			t.Errorf("%s: the error %v has the account that is missing: %v", name, err, tool.MissingAccount(err))
		}
		if server.Secret() != opened[0] {
			t.Errorf("%s: the server itself was changed", name)
		}
	}
}
