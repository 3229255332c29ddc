package people

import (
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/accounts/oauth/oauthtest"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestJSONAPI: json_api waits for the account before anybody is asked about its request,
// reaches the address that an admin has set, sends a request again with a new token after a
// 401, and asks for the account again when there is no new token.
func TestJSONAPI(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Workers: 1, Groups: []string{"webFetch"}})
	p := oauthtest.New(t, oauthtest.Behaviour{Life: time.Hour})
	d := s.HTTP(0)
	register(t, d, cloud, oauthtest.Body(p.Fields()))
	get := func(extra string) string {
		return `{"tool": "json_api", "arguments": {"url": "` + p.URL + `/api/files", "service": "` + cloud + `"` + extra + `}}`
	}
	e, asked := waiting(t, d, "ann", get(""))
	if asked.Kind != "account" || p.Requests("/api/files", "") != 0 {
		t.Fatalf("the call waits for %+v", asked)
	}
	if status, at := newBrowser(t, s, "").open(t, asked.ConnectURL); status != 200 {
		t.Fatalf("the browser ends at %s with %d", at, status)
	}
	if e = done(t, d, e.CallID); e.Status != "success" || !strings.Contains(string(e.Result), "the person") {
		t.Fatalf("the call ended with %v", e)
	}
	if p.Requests("/api/files", "") != 1 {
		t.Fatalf("the API had %d requests, want 1", p.Requests("/api/files", ""))
	}
	p.Revoke(false)
	if e = call(t, d, "ann", get("")); e.Status != "success" {
		t.Fatalf("with a token that the API refuses early the call ended with %v", e)
	}
	if got, renewed := p.Requests("/api/files", ""), p.Requests("/token", "refresh_token"); got != 3 || renewed != 1 {
		t.Errorf("the API had %d requests and the provider was asked for %d tokens, want 3 and 1", got, renewed)
	}
	p.Revoke(true)
	if _, asked = waiting(t, d, "ann", get("")); asked.Kind != "account" {
		t.Errorf("without a refresh token the call waits for %+v", asked)
	}
	if _, asked = waiting(t, d, "bob", get(`, "method": "POST", "data": {"a": 1}`)); asked.Kind != "account" {
		t.Errorf("a call that changes something waits for %+v first", asked)
	}
}
