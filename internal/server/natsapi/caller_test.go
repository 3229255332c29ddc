package natsapi

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/server/api"
)

// keyed returns an authenticator that knows one key, of ann of the tenant acme.
func keyed(t *testing.T) (auth *identity.Authenticator, key string) {
	t.Helper()
	key, id, hash := identity.NewKey()
	text, err := yaml.Marshal([]identity.Entry{{ID: id, Hash: hash, Tenant: "acme", User: "ann", Roles: []string{"user"}}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "keys.yaml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if auth, err = identity.New(t.Context(), identity.Options{KeysFile: file}); err != nil {
		t.Fatal(err)
	}
	return auth, key
}

func TestCaller(t *testing.T) {
	auth, key := keyed(t)
	for _, tt := range []struct {
		name          string
		o             Options
		from          Asker
		authorization string
		user          string
		open          bool
		status        int
	}{
		{name: "no authentication", from: Asker{Tenant: "acme"}, open: true},
		{name: "no authentication, a person's subject", from: Asker{"acme", "bob"}, user: "bob"},
		{name: "no authentication, a header", from: Asker{Tenant: "acme"}, authorization: "Bearer " + key, open: true},
		{name: "nothing shown", o: Options{Auth: auth}, from: Asker{Tenant: "acme"}, status: 401},
		{name: "a subject that anybody can publish to", o: Options{Auth: auth}, from: Asker{"acme", "ann"}, status: 401},
		{name: "a key", o: Options{Auth: auth}, from: Asker{Tenant: "acme"}, authorization: "Bearer " + key, user: "ann"},
		{name: "a wrong key", o: Options{Auth: auth}, from: Asker{Tenant: "acme"}, authorization: "Bearer " + key + "x", status: 401},
		{name: "a key in another tenant", o: Options{Auth: auth}, from: Asker{Tenant: "beta"}, authorization: "Bearer " + key, status: 403},
		{name: "a key in another's subject", o: Options{Auth: auth}, from: Asker{"acme", "bob"}, authorization: "Bearer " + key, status: 403},
		{name: "trusted", o: Options{Auth: auth, Trusted: true}, from: Asker{Tenant: "acme"}, open: true},
		{name: "trusted, a person's subject", o: Options{Auth: auth, Trusted: true}, from: Asker{"acme", "bob"}, user: "bob"},
		{name: "trusted, a key", o: Options{Auth: auth, Trusted: true}, from: Asker{Tenant: "acme"}, authorization: "Bearer " + key, user: "ann"},
		{
			name:          "trusted, a wrong key",
			o:             Options{Auth: auth, Trusted: true},
			from:          Asker{Tenant: "acme"},
			authorization: "Bearer x",
			status:        401,
		},
	} {
		by, err := tt.o.caller(t.Context(), tt.from, tt.authorization)
		if tt.status != 0 {
			failure, expected := api.AsRequestError(err)
			if err == nil || !expected || failure.Status != tt.status {
				t.Errorf("%s: %v, want %d", tt.name, err, tt.status)
			}
			continue
		}
		if err != nil || by.User != tt.user || by.Open != tt.open || by.Tenant != "acme" || !by.Open && by.Oversees() {
			t.Errorf("%s: %+v, %v, want user %q, open %v, and no role of an overseer for a person", tt.name, by, err, tt.user, tt.open)
		}
	}
}

// TestAPersonsSubject acts as that person, whatever the body names.
func TestAPersonsSubject(t *testing.T) {
	c := &calls{}
	if _, err := askAs(t, c, Asker{"acme", "ann"}, `{"calls":[{"tool":"read_file","arguments":{}}]}`); err != nil || c.got.User != "ann" {
		t.Errorf("the call was made for %q: %v, want ann", c.got.User, err)
	}
	c.got = dispatch.Request{}
	_, err := askAs(t, c, Asker{"acme", "ann"}, `{"context":{"user":"bob"},"calls":[{"tool":"read_file","arguments":{}}]}`)
	if err == nil || !strings.Contains(err.Error(), "forbidden") || len(c.got.Calls) != 0 {
		t.Errorf("ann called as bob: %v", err)
	}
}
