package oidctest

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/zitadel/oidc/v3/example/server/storage"

	"github.com/helve-dev/helve/internal/accounts/oauth"
)

const redirect = "http://localhost:1/v1/connect/callback"

// provider returns Helve's registration at an issuer, with the addresses that it publishes.
func provider(t *testing.T, address, client string) *oauth.Provider {
	t.Helper()
	web := oauth.Client(http.DefaultTransport.RoundTrip, time.Minute)
	m, err := oauth.Discover(t.Context(), web, address)
	if err != nil {
		t.Fatal(err)
	}
	return &oauth.Provider{
		Title: "zitadel", Issuer: m.Issuer, AnswersIssuer: m.AnswersIssuer, Authorization: m.Authorization, Token: m.Token,
		Revocation: m.Revocation, Device: m.Device, UserInfo: m.UserInfo, TokenAuth: m.TokenAuth(), ClientID: client, Secret: "secret",
		Scopes: []string{"openid", "profile", "offline_access"}, HTTP: web,
	}
}

// person is the browser of a person.
func person(t *testing.T) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar, CheckRedirect: func(req *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(req.URL.String(), redirect) {
			return http.ErrUseLastResponse
		}
		return nil
	}}
}

// visit sends a request of a browser, and returns the answer and its page.
func visit(t *testing.T, b *http.Client, method, address string, form url.Values) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := b.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	page, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(page)
}

// agree lets a person sign in, and returns the parameters of the answer.
func agree(t *testing.T, p *oauth.Provider, address, state, verifier string) url.Values {
	t.Helper()
	b := person(t)
	resp, _ := visit(t, b, http.MethodGet, p.AuthorizationURL(state, verifier, redirect), nil)
	id := resp.Request.URL.Query().Get("authRequestID")
	if id == "" {
		t.Fatalf("the page of the issuer is %d %s", resp.StatusCode, resp.Request.URL)
	}
	resp, page := visit(t, b, http.MethodPost, address+"login/username", url.Values{
		"id": {id}, "username": {"test-user@localhost"}, "password": {"verysecure"},
	})
	back, err := url.Parse(resp.Header.Get("Location"))
	if err != nil || !strings.HasPrefix(back.String(), redirect) {
		t.Fatalf("the issuer answers %d %s", resp.StatusCode, page)
	}
	return back.Query()
}

// status returns the status with which the issuer's own API answers a token.
func status(t *testing.T, p *oauth.Provider, token string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.UserInfo, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := p.HTTP.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

// TestAccount: a conforming provider issues tokens for a code with its verifier, replaces and
// revokes them, and refuses what is not the person's attempt.
func TestAccount(t *testing.T) {
	storage.RegisterClients(storage.WebClient("accounts", "secret", redirect))
	address := issuer(t)
	p := provider(t, address, "accounts")
	verifier := oauth.NewVerifier()
	answer := agree(t, p, address, "the state", verifier)
	if answer.Get("state") != "the state" || p.CheckIssuer(answer.Get("iss")) != nil {
		t.Fatalf("the answer is %v", answer)
	}
	if got, err := p.Exchange(t.Context(), answer.Get("code"), oauth.NewVerifier(), redirect); err == nil {
		t.Errorf("another verifier = %+v", got)
	}
	answer = agree(t, p, address, "the state", verifier)
	first, err := p.Exchange(t.Context(), answer.Get("code"), verifier, redirect)
	if err != nil || first.Refresh == "" || first.Life <= 0 || status(t, p, first.Access) != http.StatusOK {
		t.Fatalf("Exchange = %+v, %v", first, err)
	}
	if got, err := p.Exchange(t.Context(), answer.Get("code"), verifier, redirect); err == nil {
		t.Errorf("the code again = %+v", got)
	}
	second, err := p.Renew(t.Context(), first.Refresh)
	if err != nil || second.Access == first.Access || second.Refresh == first.Refresh || status(t, p, second.Access) != http.StatusOK {
		t.Fatalf("Renew = %+v, %v", second, err)
	}
	if _, err := p.Renew(t.Context(), first.Refresh); !oauth.Gone(err) {
		t.Errorf("the first refresh token again = %v", err)
	}
	if err := p.Revoke(t.Context(), second.Refresh, oauth.RefreshToken, second.TokenAuth); err != nil {
		t.Errorf("Revoke = %v", err)
	}
	if _, err := p.Renew(t.Context(), second.Refresh); !oauth.Gone(err) {
		t.Errorf("a revoked refresh token = %v", err)
	}
	p.Secret = "another"
	if _, err := p.Renew(t.Context(), second.Refresh); err == nil || oauth.Gone(err) {
		t.Errorf("another secret = %v", err)
	}
}

// TestDevice: the person enters the code of a terminal at a conforming provider.
func TestDevice(t *testing.T) {
	storage.RegisterClients(storage.DeviceClient("terminal", "secret"))
	address := issuer(t)
	p := provider(t, address, "terminal")
	p.Scopes = []string{"email"} // the example's pages sign in a name, for which it has no ID token
	d, err := p.StartDevice(t.Context())
	if err != nil || d.UserCode == "" || !strings.HasPrefix(d.Page, address) {
		t.Fatalf("StartDevice = %+v, %v", d, err)
	}
	if pending, _ := oauth.Pending(errOf(p.PollDevice(t.Context(), d.Code))); !pending {
		t.Error("a code that nobody has entered is not pending")
	}
	b := person(t)
	visit(t, b, http.MethodPost, address+"device/login", url.Values{
		"user_code": {d.UserCode}, "username": {"test-user@localhost"}, "password": {"verysecure"},
	})
	visit(t, b, http.MethodPost, address+"device/confirm", url.Values{"action": {"allowed"}})
	got, err := p.PollDevice(t.Context(), d.Code)
	if err != nil || got.Access == "" || got.Scopes != "email" {
		t.Errorf("PollDevice = %+v, %v", got, err)
	}
}

func errOf(_ oauth.Token, err error) error { return err }
