package people

import (
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/accounts/oauth/oauthtest"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestDisconnect: deleting the entry of a person revokes the tokens, and what the provider
// does not revoke is said and removed all the same.
func TestDisconnect(t *testing.T) {
	t.Parallel()
	s := launchCloud(t, system.Plan{}, 1)
	p := oauthtest.New(t, oauthtest.Behaviour{Life: time.Hour})
	d := s.HTTP(0)
	entry := map[string]string{"service": cloud, "label": "default", "user": "ann"}
	register(t, d, cloud, oauthtest.Body(p.Fields()))
	connected(t, s, "ann")
	token := used(t, call(t, d, "ann", `{"tool": "cloud_read"}`)).Token
	if r := d.Ask(t, "default", "services.delete", entry, ""); r.Status != 200 || !strings.Contains(string(r.Body), `"revoked":true`) {
		t.Errorf("services.delete = %d %s", r.Status, r.Body)
	}
	if p.Valid(token) || p.Tokens() != 0 || p.Last("/revoke").Form.Get("token") == "" {
		t.Error("the tokens were not revoked")
	}
	if r := d.Ask(t, "default", "services.delete", entry, ""); r.Status != 404 {
		t.Errorf("services.delete of nothing = %d %s", r.Status, r.Body)
	}
	system.Eventually(t, "calls wait for the account again", func() bool {
		return call(t, d, "ann", `{"tool": "cloud_read"}`).State == "awaiting_consent"
	})
	fields := p.Fields()
	delete(fields, "revocation_url")
	register(t, d, cloud, oauthtest.Body(fields))
	connected(t, s, "ann")
	if r := d.Ask(t, "default", "services.delete", entry, ""); r.Status != 200 || !strings.Contains(string(r.Body), `"revoked":false`) ||
		!strings.Contains(string(r.Body), "removes Helve in the settings") {
		t.Errorf("services.delete without an address to revoke at = %d %s", r.Status, r.Body)
	}
	records := trail(t, d)
	for _, want := range []string{
		"the account of the service acmecloud is connected, for read write", "the account of the service acmecloud is disconnected",
	} {
		if !strings.Contains(records, want) {
			t.Errorf("the trail has no record with %q", want)
		}
	}
	for _, secret := range []string{token, oauthtest.ClientSecret, "rt-", "code-"} {
		if strings.Contains(records, secret) || strings.Contains(s.Logs.String(), secret) {
			t.Errorf("%q is on the trail or in the log", secret)
		}
	}
}

// TestPersonalData: the export of a person has the account without tokens, and the deletion
// of their data revokes them.
func TestPersonalData(t *testing.T) {
	t.Parallel()
	s := launchCloud(t, system.Plan{Workers: 1}, 1)
	p := oauthtest.New(t, oauthtest.Behaviour{Life: time.Hour})
	d := s.HTTP(0)
	register(t, d, cloud, oauthtest.Body(p.Fields()))
	for _, user := range []string{"ann", "bob"} {
		connected(t, s, user)
	}
	token := used(t, call(t, d, "ann", `{"tool": "cloud_read"}`)).Token
	r := d.Ask(t, "default", "data.export", map[string]string{"user": "ann", "format": "jsonl"}, "")
	if text := string(r.Body); !strings.Contains(text, `"id":"acmecloud.default"`) || !strings.Contains(text, `"scopes":"read write"`) ||
		strings.Contains(text, token) || strings.Contains(text, "rt-") {
		t.Errorf("data.export = %d %s", r.Status, text)
	}
	before := p.Requests("/revoke", "")
	if r := d.Ask(t, "default", "data.delete", map[string]string{"user": "ann"}, ""); r.Status != 200 ||
		!strings.Contains(string(r.Body), `"services":1`) {
		t.Errorf("data.delete = %d %s", r.Status, r.Body)
	}
	if p.Valid(token) || p.Requests("/revoke", "") == before {
		t.Error("ann's tokens were not revoked")
	}
	if list := string(d.Ask(t, "default", "services.get", map[string]string{"service": cloud}, "").Body); strings.Contains(list,
		`"user":"ann"`) ||
		!strings.Contains(list, `"user":"bob"`) {
		t.Errorf("services.get = %s", list)
	}
}

// TestWithoutMasterKey: nothing is registered or connected without it, and the message says
// so.
func TestWithoutMasterKey(t *testing.T) {
	t.Parallel()
	s := launchCloud(t, system.Plan{Config: func(c *config.Config) { c.Secrets.KeyFile, c.Secrets.KeyEnv = "", "" }}, 1)
	p := oauthtest.New(t, oauthtest.Behaviour{})
	r := s.HTTP(0).Ask(t, "default", "services.set", map[string]string{"service": cloud, "label": "default"}, oauthtest.Body(p.Fields()))
	if r.Status < 400 || !strings.Contains(string(r.Body), "--secrets-key") {
		t.Errorf("services.set = %d %s", r.Status, r.Body)
	}
}

// TestRegistrations: what an admin sets is checked before anybody is sent there.
func TestRegistrations(t *testing.T) {
	t.Parallel()
	s := launchCloud(t, system.Plan{}, 0)
	d := s.HTTP(0)
	for _, tt := range []struct {
		service, body string
		status        int
		want          string
	}{
		{"acme", `{"type": "oauth2", "fields": {"client_id": "x"}}`, 400, "issuer"},
		{"acme", `{"type": "oauth2", "fields": {"issuer": "https://id.example"}}`, 400, "client_id"},
		{"acme", `{"type": "oauth2", "fields": {"issuer": "http://id.example", "client_id": "x"}}`, 400, "must begin with https://"},
		{"acme", `{"type": "oauth2", "fields": {"authorization_url": "https://id.example/a", "client_id": "x"}}`, 400, "token_url"},
		{"acme", `{"type": "oauth2", "fields": {"issuer": "https://id.example", "client_id": "x", "isuer": "y"}}`, 400, "did you mean issuer?"},
		{"acme", `{"type": "oauth2", "fields": {"issuer": "https://id.example", "client_id": "x", "authorization_params": "redirect_uri=https://evil.example"}}`, 400, "which Helve sets itself"},
		{
			"acme", `{"type": "oauth2", "fields": {"authorization_url": "https://id.example/a?code_challenge_method=plain", "token_url": "https://id.example/t", "client_id": "x"}}`,
			400, "code_challenge_method, which Helve sets itself",
		},
		{"acme", `{"type": "oauth2", "fields": {"issuer": "https://id.example", "client_id": "x", "token_auth": "magic"}}`, 400, "basic, post"},
		{
			"acme", `{"type": "oauth2", "user": "ann", "fields": {"issuer": "https://id.example", "client_id": "x"}}`, 403,
			"helve config connect acme --user ann",
		},
		{"acme", `{"type": "oauth2", "fields": {"issuer": "https://id.example", "client_id": "x", "scopes": ["a", "b"]}}`, 200, `"scopes":"a b"`},
		{"acme", `{"type": "oauth2", "fields": {"issuer": "http://127.0.0.1:1", "client_id": "x"}}`, 200, `"issuer":"http://127.0.0.1:1"`},
		{"github", `{"fields": {"client_id": "x", "client_secret": "y", "scopes": "repo"}}`, 200, `"client_secret":{"set":true}`},
		{"google", `{"type": "oauth2", "fields": {"client_id": "x"}}`, 200, `"client_id":"x"`},
		{"slack", `{"type": "http", "fields": {"base_url": "https://slack.com/api", "api_key": "k"}}`, 200, `"api_key":{"set":true}`},
	} {
		r := d.Ask(t, "default", "services.set", map[string]string{"service": tt.service, "label": "default"}, tt.body)
		if r.Status != tt.status || !strings.Contains(string(r.Body), tt.want) {
			t.Errorf("%s %s = %d %s, want %d %q", tt.service, tt.body, r.Status, r.Body, tt.status, tt.want)
		}
	}
	list := string(d.Ask(t, "default", "services.list", nil, "").Body)
	for _, name := range []string{"google", "microsoft", "github", "slack", "notion"} {
		if !strings.Contains(list, `"name":"`+name+`","type":"oauth2"`) {
			t.Errorf("services.list has no preset %s", name)
		}
	}
}
