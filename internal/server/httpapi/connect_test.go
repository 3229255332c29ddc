package httpapi

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/internal/server/signin"
)

// connector plays the dispatcher's side of the pages.
type connector struct {
	by     identity.Principal
	answer api.ConnectAnswer
	done   api.ConnectDone
	err    error
}

func (c *connector) Cookie(string) string { return "helve_connect_x" }

func (c *connector) Start(_ context.Context, by identity.Principal, id string) (api.ConnectStart, error) {
	c.by = by
	return api.ConnectStart{
		Location: "https://id.example/authorize?for=" + id,
		Name:     "helve_connect_x",
		Cookie:   "v",
		Path:     "/v1/connect",
		Life:     time.Minute,
	}, c.err
}

func (c *connector) Finish(_ context.Context, by identity.Principal, a api.ConnectAnswer) (api.ConnectDone, error) {
	c.by, c.answer = by, a
	return c.done, c.err
}

// TestConnectPages: the pages pass on what a browser brings, set a cookie that scripts cannot
// read, and show no markup of others.
func TestConnectPages(t *testing.T) {
	c := &connector{done: api.ConnectDone{Service: "<b>cloud", User: "ann", Status: "connected"}}
	s := serve(t, nil, Options{Connect: c})
	s.Client().CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	get := func(path string, header ...string) reply {
		t.Helper()
		return s.send(http.MethodGet, path, "", header...)
	}
	resp := get("/v1/connect/c-1?tenant=acme")
	cookie := resp.header.Get("Set-Cookie")
	if resp.status != 302 || resp.header.Get("Location") != "https://id.example/authorize?for=c-1" || c.by.Tenant != "acme" || !c.by.Open {
		t.Errorf("start = %d %v as %+v", resp.status, resp.header, c.by)
	}
	for _, want := range []string{"helve_connect_x=v", "HttpOnly", "SameSite=Lax", "Path=/v1/connect", "Max-Age=60"} {
		if !strings.Contains(cookie, want) {
			t.Errorf("the cookie is %s, want %s", cookie, want)
		}
	}
	if resp.header.Get("Cache-Control") != "no-store" || resp.header.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("start has %v", resp.header)
	}
	resp = get("/v1/connect/callback?state=s&code=c&iss=i", "Cookie: helve_connect_x=v", "Accept: text/html")
	page := resp.body
	if resp.status != 200 || c.answer != (api.ConnectAnswer{State: "s", Code: "c", Issuer: "i", Cookie: "v"}) ||
		strings.Contains(page, "<b>") || !strings.Contains(page, "&lt;b&gt;cloud") {
		t.Errorf("callback = %d %s with %+v", resp.status, page, c.answer)
	}
	if policy := resp.header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") ||
		!strings.Contains(policy, "frame-ancestors 'none'") {
		t.Errorf("the policy of the page is %q", policy)
	}
	for _, name := range []string{"state", "code", "iss", "error"} {
		if resp := get("/v1/connect/callback?state=s&code=c&" + name + "=1&" + name + "=2"); resp.status != 400 {
			t.Errorf("%s twice = %d", name, resp.status)
		}
	}
	c.err = api.NotFound("no <script>")
	if resp := get("/v1/connect/c-1", "Accept: text/html"); resp.status != 404 || strings.Contains(resp.body, "<script>") {
		t.Errorf("a failure for a browser = %d", resp.status)
	}
	if resp := get("/v1/connect/callback?state=s"); resp.status != 404 || resp.header.Get("Content-Type") != problemType {
		t.Errorf("a failure for a program = %d %s", resp.status, resp.header.Get("Content-Type"))
	}
	c.err, c.by, c.answer = nil, identity.Principal{}, api.ConnectAnswer{}
	for _, path := range []string{"/v1/connect/c-1", "/v1/connect/callback?state=s&code=c"} {
		if resp := s.send(http.MethodHead, path, "", "Cookie: helve_connect_x=v"); resp.status != 405 || c.by.Tenant != "" ||
			c.answer.Code != "" {
			t.Errorf("HEAD %s = %d, and the link or the answer is used: %+v", path, resp.status, c)
		}
	}
	if resp := get("/v1/connect/c-1", "Host: evil.example"); resp.status != 403 {
		t.Errorf("another host without authentication = %d", resp.status)
	}
}

// TestConnectOfSession: a link cannot send the secret of the pages, so a browser in which a
// person may have signed in goes to the page that sends it; a cookie alone decides nothing else.
func TestConnectOfSession(t *testing.T) {
	c := &connector{}
	k := withKey(t, "ann", "", identity.User)
	s := serve(t, nil, Options{Connect: c, Auth: k.Authenticator, SignIn: &signin.Service{Options: signin.Options{Auth: k.Authenticator}}})
	s.Client().CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	cookie := "Cookie: helve_session_" + s.URL[strings.LastIndex(s.URL, ":")+1:] + "=x"
	unsigned := &api.RequestError{Type: "unauthenticated", Status: http.StatusUnauthorized, Msg: "sign in"}
	for what, tt := range map[string]struct {
		path    string
		err     error
		headers []string
		status  int
		to      string
	}{
		"a link with a cookie": {"/v1/connect/c-1", nil, []string{cookie, "Accept: text/html"}, 303, "/connect/c-1"},
		"a link without":       {"/v1/connect/c-1", nil, []string{"Accept: text/html"}, 302, "https://id.example/authorize?for=c-1"},
		"a link from another port": {
			"/v1/connect/c-1", nil, []string{cookie, "Accept: text/html", "Sec-Fetch-Site: same-site"}, 302, "https://id.example/authorize?for=c-1",
		},
		"a program's link": {
			"/v1/connect/c-1", nil, []string{k.bearer, "Accept: text/html"}, 302, "https://id.example/authorize?for=c-1",
		},
		"the page": {"/v1/connect/c-1", nil, []string{"Helve-Console: x"}, 200, ""},
		"an answer for a session": {
			"/v1/connect/callback?state=s&code=c", unsigned, []string{"Accept: text/html", "Sec-Fetch-Site: cross-site"}, 303,
			"/connect/callback?state=s&code=c",
		},
		"an answer in the page": {
			"/v1/connect/callback?state=s&code=c", unsigned, []string{"Helve-Console: x", "Accept: text/html"}, 401, "",
		},
		"an answer for a program":        {"/v1/connect/callback?state=s&code=c", unsigned, nil, 401, ""},
		"an answer without a credential": {"/v1/connect/callback?state=s&code=c", nil, []string{"Accept: text/html"}, 200, ""},
	} {
		c.err = tt.err
		r := s.send(http.MethodGet, tt.path, "", tt.headers...)
		if r.status != tt.status || r.header.Get("Location") != tt.to {
			t.Errorf("%s = %d %s, want %d %s", what, r.status, r.header.Get("Location"), tt.status, tt.to)
		}
		if what == "the page" && !strings.Contains(r.body, `{"location":"https://id.example/authorize?for=c-1"}`) {
			t.Errorf("the page gets %s", r.body)
		}
	}
}
