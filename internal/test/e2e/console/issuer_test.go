package console

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/accounts/oauth/oauthtest"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/protocol"
)

// withIssuer starts a system whose people sign in at an issuer, or with keys.
func withIssuer(t *testing.T) (*people, *oauthtest.Provider) {
	t.Helper()
	issuer := oauthtest.New(t, oauthtest.Behaviour{
		Claims: map[string]any{"sub": "dora", "tenant": "default", "roles": []string{"user", "approver"}},
	})
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte(oauthtest.ClientSecret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return newPeople(t, func(c *config.Config) {
		c.Auth.Issuer, c.Auth.ClientID, c.Auth.ClientSecretFile = issuer.URL, oauthtest.ClientID, secret
	}), issuer
}

// visit opens an address as a link, and returns where it leads.
func (b *session) visit(address string) *url.URL {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, address, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	req.Header.Set("Sec-Fetch-Site", "cross-site")
	resp, err := b.http.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	to, err := resp.Location()
	if err != nil {
		b.t.Fatalf("%s = %d, want that it leads on", address, resp.StatusCode)
	}
	return to
}

// follow does what a page of signing in does at an address: it sends its query, and goes where
// the answer leads.
func (b *session) follow(address string) *url.URL {
	b.t.Helper()
	at, err := url.Parse(address)
	if err != nil {
		b.t.Fatal(err)
	}
	origin := at.Scheme + "://" + at.Host
	body, err := json.Marshal(map[string]string{"query": "?" + at.RawQuery})
	if err != nil {
		b.t.Fatal(err)
	}
	r := system.HTTPDoor{Client: b.http, URL: origin}.Send(b.t, http.MethodPost, at.Path, string(body), http.Header{
		"Origin": {origin}, "Content-Type": {"application/json"}, "Helve-Console": {b.page},
	})
	if r.Status != http.StatusOK {
		b.t.Fatalf("%s = %d %s", address, r.Status, r.Body)
	}
	to, err := at.Parse(system.Decode[struct{ Location string }](b.t, r).Location)
	if err != nil {
		b.t.Fatal(err)
	}
	return to
}

// TestSignInAtIssuer: a person signs in at the issuer, comes back to the page they wanted,
// and is known to both dispatchers.
func TestSignInAtIssuer(t *testing.T) {
	t.Parallel()
	p, issuer := withIssuer(t)
	b := newSession(t, p.System)
	ways := system.Decode[protocol.Problem](t, b.send(0, http.MethodGet, "/v1/me", "")).SignIn
	if ways == nil || *ways != (protocol.SignIn{OIDC: true, Key: true}) {
		t.Errorf("the ways are %+v", ways)
	}
	page := b.follow(p.URLs[0] + "/login/oidc?next=" + url.QueryEscape("/consents/c-1?x=1"))
	if !strings.HasPrefix(page.String(), issuer.URL+"/authorize?") {
		t.Fatalf("signing in leads to %s", page)
	}
	back := b.visit(page.String())
	if !strings.HasPrefix(back.String(), p.URLs[0]+"/login/callback?") {
		t.Fatalf("the issuer leads to %s", back)
	}
	if end := b.follow(back.String()); end.String() != p.URLs[0]+"/consents/c-1?x=1" {
		t.Errorf("it ends at %s", end)
	}
	for dispatcher := range p.URLs {
		me, status := b.me(dispatcher)
		if status != 200 || me.User != "dora" || me.Tenant != "default" || me.Name != "token of dora" ||
			!slices.Equal(me.Roles, []string{"user", "approver"}) || me.SessionEndsAt == nil {
			t.Errorf("me at dispatcher %d = %d %+v", dispatcher, status, me)
		}
	}
	if again := b.follow(back.String()); again.Path != "/login" || again.Query().Get("error") != "expired" {
		t.Errorf("the answer again leads to %s", again)
	}
	if r := b.send(1, http.MethodPost, "/logout", ""); r.Status != 204 {
		t.Errorf("signing out = %d %s", r.Status, r.Body)
	}
	if _, status := b.me(0); status != 401 {
		t.Errorf("after signing out me = %d", status)
	}
	if strings.Contains(p.Logs.String(), oauthtest.ClientSecret) || strings.Contains(p.Logs.String(), back.Query().Get("code")) {
		t.Error("the log has a secret or a code")
	}
	// By another name of the host the cookie of the attempt would be missing at the end.
	other := strings.Replace(p.URLs[0], "127.0.0.1", "localhost", 1)
	if to := b.follow(other + "/login/oidc?next=/fleet"); to.Scheme+"://"+to.Host != p.URLs[0] || to.Path != "/login/oidc" ||
		to.Query().Get("next") != "/fleet" {
		t.Errorf("by another name it leads to %s", to)
	}
}

// TestIssuerRefuses: each failure leads to the page of signing in, which has the reason, and
// never to another site.
func TestIssuerRefuses(t *testing.T) {
	t.Parallel()
	p, issuer := withIssuer(t)
	b := newSession(t, p.System)
	failed := func(what string, at *url.URL, reason, next string) {
		t.Helper()
		if at.Scheme+"://"+at.Host != p.URLs[0] || at.Path != "/login" || at.Query().Get("error") != reason || at.Query().Get("next") != next ||
			b.session() != "" {
			t.Errorf("%s leads to %s, want %s and the page %s", what, at, reason, next)
		}
	}
	begin := func() string { return b.follow(p.URLs[0] + "/login/oidc?next=/calls").String() }
	issuer.Set(func(b *oauthtest.Behaviour) { b.Refuse = "access_denied" })
	failed("a person who refuses", b.follow(b.visit(begin()).String()), "denied", "/calls")
	issuer.Set(func(b *oauthtest.Behaviour) { b.Refuse, b.Claims = "", map[string]any{"sub": "dora", "roles": "user"} })
	failed("a person without a tenant", b.follow(b.visit(begin()).String()), "refused", "/calls")
	issuer.Set(func(b *oauthtest.Behaviour) { b.Claims["tenant"] = "default" })

	stranger := newSession(t, p.System)
	answer := stranger.visit(stranger.follow(p.URLs[0] + "/login/oidc").String())
	failed("an answer for another browser", b.follow(answer.String()), "expired", "/")
	// A page at another port of this host can set the cookie of the stranger's attempt.
	b.http.Jar.SetCookies(answer, stranger.http.Jar.Cookies(answer))
	failed("an answer for another browser with its cookie", b.follow(answer.String()), "expired", "/")
	failed("no answer", b.follow(p.URLs[0]+"/login/callback"), "expired", "/")
	failed("a state twice", b.follow(answer.String()+"&state=x"), "denied", "/")
	for _, next := range []string{"https://evil.example/", "//evil.example", `/\evil.example`, "/v1/data"} {
		end := b.follow(b.visit(b.follow(p.URLs[0] + "/login/oidc?next=" + url.QueryEscape(next)).String()).String())
		if end.String() != p.URLs[0]+"/" {
			t.Errorf("with the page %s it ends at %s", next, end)
		}
	}
}
