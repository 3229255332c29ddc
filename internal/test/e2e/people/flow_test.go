package people

import (
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/accounts/oauth/oauthtest"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestConnect: a call waits for an account, the person follows the link in a browser, and
// the call runs with a token; also a call whose tool looks before it needs an approval.
func TestConnect(t *testing.T) {
	t.Parallel()
	s := launchCloud(t, system.Plan{Dispatchers: 2}, 2)
	p := oauthtest.New(t, oauthtest.Behaviour{Life: time.Hour})
	d := s.HTTP(0)
	register(t, d, cloud, oauthtest.Body(p.Discovered()))
	first, asked := waiting(t, d, "ann", `{"tool": "cloud_read"}`)
	if asked.Kind != "account" || asked.Service != cloud ||
		asked.ConnectURL != s.URLs[0]+"/v1/connect/"+first.ConsentID && asked.ConnectURL != s.URLs[1]+"/v1/connect/"+first.ConsentID {
		t.Errorf("the consent is %+v", asked)
	}
	if later := system.ByID(t, s.NATS(), "calls.get", "default", first.CallID); first.ConnectURL != asked.ConnectURL ||
		later.ConnectURL != asked.ConnectURL {
		t.Errorf("the call is answered with the address %q, and later with %q, want %q", first.ConnectURL, later.ConnectURL, asked.ConnectURL)
	}
	second, again := waiting(t, d, "ann", `{"tool": "cloud_read", "arguments": {"n": 2}}`)
	if again.ID != asked.ID || !strings.HasSuffix(second.ConnectURL, "/v1/connect/"+asked.ID) { // of either dispatcher
		t.Errorf("two calls for one account have the consents %s and %s, the second one the address %s", asked.ID, again.ID, second.ConnectURL)
	}
	third, _ := waiting(t, d, "ann", `{"tool": "cloud_write"}`)
	bobs, foreign := waiting(t, d, "bob", `{"tool": "cloud_read"}`)

	if r := d.Ask(t, "default", "consent.decide", map[string]string{"consent_id": asked.ID},
		`{"decision": "grant", "by": "ann"}`); r.Status != 409 || !strings.Contains(string(r.Body), "is not connected") {
		t.Errorf("granting without an account = %d %s", r.Status, r.Body)
	}
	b := newBrowser(t, s, "")
	if status, at := b.open(t, asked.ConnectURL); status != 200 || !strings.Contains(at, "/v1/connect/callback?") {
		t.Fatalf("the browser ends at %s with %d", at, status)
	}
	for _, e := range []system.Element{first, second} {
		got := used(t, done(t, d, e.CallID))
		if !p.Valid(got.Token) || got.Base != p.URL+"/api" || got.Other != "" {
			t.Errorf("the tool got %+v", got)
		}
	}
	if got := consentOf(t, d, "ann", asked.ID); got.Status != "granted" {
		t.Errorf("the consent is %+v", got)
	}
	// The account approves nothing: the call that changes something is still asked about.
	var approval request
	system.Eventually(t, "the writing call waits for its approval", func() bool {
		e := system.Decode[system.Element](t, d.Ask(t, "default", "calls.get", map[string]string{"call_id": third.CallID}, ""))
		if e.State == "awaiting_consent" && e.ConsentID != asked.ID {
			approval = consentOf(t, d, "ann", e.ConsentID)
		}
		return approval.Status == "pending"
	})
	if e := system.ByID(t, d, "calls.get", "default", third.CallID); approval.Kind != "" || approval.ConnectURL != "" || e.ConnectURL != "" {
		t.Errorf("the approval is %+v", approval)
	}
	if r := d.Ask(t, "default", "consent.decide", map[string]string{"consent_id": approval.ID},
		`{"decision": "grant", "by": "ann"}`); r.Status != 200 {
		t.Errorf("grant = %d %s", r.Status, r.Body)
	}
	used(t, done(t, d, third.CallID))
	if got := consentOf(t, d, "bob", foreign.ID); got.Status != "pending" {
		t.Errorf("ann's account has ended bob's request: %+v", got)
	}
	if e := system.Decode[system.Element](t,
		d.Ask(t, "default", "calls.get", map[string]string{"call_id": bobs.CallID}, "")); e.State != "awaiting_consent" {
		t.Errorf("bob's call is %v", e)
	}
	if e := call(t, s.HTTP(1), "ann", `{"tool": "cloud_late"}`); used(t, e).Token == "" {
		t.Errorf("a call with the account = %v", e)
	}
	if n := p.Requests("/token", ""); n != 1 {
		t.Errorf("%d requests for tokens, want 1", n)
	}
}
