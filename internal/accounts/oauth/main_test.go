package oauth_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/helve-dev/helve/internal/accounts/oauth"
	"github.com/helve-dev/helve/internal/accounts/oauth/oauthtest"
	"github.com/helve-dev/helve/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const redirect = "http://127.0.0.1:1/v1/connect/callback"

// client returns a client that follows nothing.
func client(t *testing.T) *http.Client {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return oauth.Client(transport.RoundTrip, 5*time.Second)
}

// at returns Helve's registration at a provider of the tests.
func at(t *testing.T, p *oauthtest.Provider) *oauth.Provider {
	t.Helper()
	return &oauth.Provider{
		Title: "The Cloud", Issuer: p.URL, AnswersIssuer: true, Authorization: p.URL + "/authorize", Token: p.URL + "/token",
		Revocation: p.URL + "/revoke", Device: p.URL + "/device", ClientID: oauthtest.ClientID, Secret: oauthtest.ClientSecret,
		Scopes: []string{"read", "write"}, HTTP: client(t),
	}
}

// agree lets a person agree, and returns the parameters of the answer.
func agree(t *testing.T, p *oauth.Provider, state, verifier string) url.Values {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.AuthorizationURL(state, verifier, redirect), nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := p.HTTP.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	back, err := url.Parse(resp.Header.Get("Location"))
	if err != nil || !strings.HasPrefix(back.String(), redirect) {
		t.Fatalf("the provider answers %d %v", resp.StatusCode, resp.Header)
	}
	return back.Query()
}

// wantFailure checks the kind of an error, and that it has no secrets.
func wantFailure(t *testing.T, what string, err error, kind tool.Kind, text string) {
	t.Helper()
	e := tool.AsError(err)
	if e == nil || e.Kind != kind || !strings.Contains(e.Msg, text) {
		t.Errorf("%s: %v, want %s with %q", what, err, kind, text)
		return
	}
	for _, secret := range []string{oauthtest.ClientSecret, "code-", "at-", "rt-", "told by the provider"} {
		if strings.Contains(e.Error(), secret) {
			t.Errorf("%s: the error has %q: %v", what, secret, e)
		}
	}
}
