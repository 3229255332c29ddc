package faults

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/accounts/oauth/oauthtest"
	"github.com/helve-dev/helve/internal/identity/vault"
	"github.com/helve-dev/helve/internal/x/failpoint"
)

// TestDispatcherFailsBehindNewTokens strikes the dispatcher that has got new tokens of an
// account and has not stored them. The other one sends the old refresh token again, and the
// call runs: with a provider that accepts it once more, or when the account was connected
// again.
func TestDispatcherFailsBehindNewTokens(t *testing.T) {
	for _, tt := range []struct {
		action string
		grace  bool
	}{{"kill", true}, {"kill", false}, {"stop", true}} {
		t.Run(fmt.Sprintf("%s/grace %v", tt.action, tt.grace), func(t *testing.T) {
			t.Parallel()
			strikeBehindTokens(t, tt.action, tt.grace)
		})
	}
}

func strikeBehindTokens(t *testing.T, action string, grace bool) {
	w := newWorld(t)
	text, err := vault.Generate()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "secrets.key")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	key := "HELVE_SECRETS_KEY_FILE=" + file
	w.worker(key)
	victim := w.dispatcher(key, trial{point: failpoint.AccountRenewed}.arm(action))
	other := w.dispatcher(key)
	p := oauthtest.New(t, oauthtest.Behaviour{Life: time.Second, Grace: grace})
	if status, err := request(http.MethodPut, other.url+"/v1/services/cloud/default", defaultTenant, []byte(oauthtest.Body(p.Fields())),
		nil); status != http.StatusOK {
		t.Fatalf("services.set = %d, %v", status, err)
	}
	made := w.call(defaultTenant, "make", "create_tool", map[string]any{
		"name": "cloud_token", "description": "Return a token.", "parameters": `{"type":"object","properties":{}}`,
		"code": `return utils.getApiKey("cloud");`, "required_api_keys": []map[string]string{{"name": "cloud"}},
	})
	other.decide(other.park(made), "grant")
	if e := other.ended(made); e.Status != "success" {
		t.Fatalf("create_tool = %+v", e)
	}
	used := 0
	next := func() element {
		t.Helper()
		used++
		c := w.call(defaultTenant, fmt.Sprintf("use-%d", used), "cloud_token", nil)
		a := other.asPerson(time.Minute, c)
		if a.status != http.StatusOK || len(a.elements) != 1 {
			t.Fatalf("%s was answered %+v", c.ID, a)
		}
		if a.elements[0].State == "awaiting_consent" {
			other.connectAccount(t, other.asked(c))
		}
		return other.ended(c)
	}
	hit := func() bool { return strings.Contains(victim.output(), "failpoint "+failpoint.AccountRenewed) }
	// A script that has begun does not wait for a person: if its token expires meanwhile, and the new
	// one is lost with the victim, it ends so, and the next call asks.
	lost := func(e element) bool {
		return !grace && hit() && e.ErrorType == "not_configured" && strings.Contains(e.Message, "must be connected again")
	}
	good := func(e element) bool {
		var token string
		return e.Status == "success" && json.Unmarshal(e.Result, &token) == nil && p.Valid(token)
	}
	await(t, "a token that the victim replaces", func() bool { // NATS decides which dispatcher does
		if e := next(); !good(e) && !lost(e) {
			t.Fatalf("a call ended with %+v", e)
		}
		return hit() || used > 40
	})
	victim.struck(failpoint.AccountRenewed, action)
	p.Set(func(b *oauthtest.Behaviour) { b.Life = time.Hour })
	e := next()
	if lost(e) { // its token is of before
		e = next()
	}
	for range 3 {
		if !good(e) {
			t.Errorf("after the strike a call ended with %+v", e)
		}
		e = next()
	}
}

// connectAccount opens the link of a consent in a browser.
func (d door) connectAccount(t *testing.T, consentID string) {
	t.Helper()
	var c struct {
		ConnectURL string `json:"connect_url"`
	}
	status, err := request(http.MethodGet, d.url+"/v1/consents/"+consentID+"?user="+person, defaultTenant, nil, &c)
	if err != nil || status != http.StatusOK {
		t.Fatalf("consent.get = %d, %v", status, err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	// The link may be that of a dispatcher that is gone: any other one serves it too.
	at := d.url + c.ConnectURL[strings.Index(c.ConnectURL, "/v1/connect/"):]
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := (&http.Client{Jar: jar}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("the browser ends at %s with %d", resp.Request.URL.Path, resp.StatusCode)
	}
}
