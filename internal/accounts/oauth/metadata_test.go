package oauth_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/accounts/oauth"
	"github.com/helve-dev/helve/internal/accounts/oauth/oauthtest"
	"github.com/helve-dev/helve/tool"
)

// TestDiscover reads the metadata of RFC 8414, and that of OpenID Connect without it.
func TestDiscover(t *testing.T) {
	t.Parallel()
	for name, b := range map[string]oauthtest.Behaviour{"RFC 8414": {}, "OpenID Connect": {NoOAuthMetadata: true}} {
		p := oauthtest.New(t, b)
		m, err := oauth.Discover(t.Context(), client(t), p.URL)
		if err != nil || m.Token != p.URL+"/token" || m.Device != p.URL+"/device" || !m.AnswersIssuer || m.TokenAuth() != oauth.Basic {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}
	for name, b := range map[string]oauthtest.Behaviour{"none": {NoMetadata: true}, "of another issuer": {Issuer: "https://evil.example"}} {
		p := oauthtest.New(t, b)
		if m, err := oauth.Discover(t.Context(), client(t), p.URL); err == nil {
			t.Errorf("%s: %+v", name, m)
		}
	}
}

// TestDiscoverAddresses: where the metadata of an issuer with a path is, and which documents
// are not used.
func TestDiscoverAddresses(t *testing.T) {
	t.Parallel()
	var asked []string
	var serve func(path string) (int, string)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path)
		status, body := serve(r.URL.Path)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(s.Close)
	good := func(issuer string, more ...string) string {
		return fmt.Sprintf(`{"issuer": %q, "authorization_endpoint": "%s/a", "token_endpoint": "%[2]s/t"%s}`,
			issuer, s.URL, strings.Join(more, ""))
	}
	for name, tt := range map[string]struct {
		issuer string
		serve  func(path string) (int, string)
		asked  string
		kind   tool.Kind // empty for success
	}{
		"a path": {
			s.URL + "/tenant/x", func(string) (int, string) { return 200, good(s.URL + "/tenant/x") },
			"/.well-known/oauth-authorization-server/tenant/x", "",
		},
		"a path with a slash": {s.URL + "/tenant/", func(path string) (int, string) {
			if strings.HasPrefix(path, "/.well-known") {
				return 404, ""
			}
			return 200, good(s.URL + "/tenant/")
		}, "/.well-known/oauth-authorization-server/tenant /tenant/.well-known/openid-configuration", ""},
		"a page for every path": {s.URL, func(path string) (int, string) {
			if strings.HasSuffix(path, "openid-configuration") {
				return 200, good(s.URL)
			}
			return 200, "<html>"
		}, "/.well-known/oauth-authorization-server /.well-known/openid-configuration", ""},
		"an issuer but for a slash": {s.URL, func(string) (int, string) { return 200, good(s.URL + "/") }, "", tool.PermissionDenied},
		"a failure":                 {s.URL, func(string) (int, string) { return 503, "" }, "", tool.NetworkError},
		"no endpoints": {
			s.URL, func(string) (int, string) { return 200, fmt.Sprintf(`{"issuer": %q}`, s.URL) }, "", tool.NotConfigured,
		},
		"an endpoint without TLS": {s.URL, func(string) (int, string) {
			return 200, good(s.URL, `, "revocation_endpoint": "http://id.example/r"`)
		}, "", tool.PermissionDenied},
		"an endpoint that is a script": {s.URL, func(string) (int, string) {
			return 200, good(s.URL, `, "userinfo_endpoint": "javascript:alert(1)"`)
		}, "", tool.PermissionDenied},
		"a page with a challenge": {s.URL, func(string) (int, string) {
			return 200, strings.Replace(good(s.URL), `/a"`, `/a?tenant=x&code_challenge=of-mallory"`, 1)
		}, "", tool.PermissionDenied},
		"a page with a query": {s.URL, func(string) (int, string) {
			return 200, strings.Replace(good(s.URL), `/a"`, `/a?tenant=x"`, 1)
		}, "/.well-known/oauth-authorization-server", ""},
		"plain PKCE only": {s.URL, func(string) (int, string) {
			return 200, good(s.URL, `, "code_challenge_methods_supported": ["plain"]`)
		}, "", tool.NotConfigured},
		"a redirect":      {s.URL, func(string) (int, string) { return 302, "" }, "", tool.NotConfigured},
		"a huge document": {s.URL, func(string) (int, string) { return 200, good(s.URL, strings.Repeat(" ", 2<<20)) }, "", tool.ExecutionError},
		"another host":    {"http://id.example", func(string) (int, string) { return 200, "" }, "", tool.NotConfigured},
		"a query":         {s.URL + "?x=y", func(string) (int, string) { return 200, "" }, "", tool.NotConfigured},
	} {
		asked, serve = nil, tt.serve
		m, err := oauth.Discover(t.Context(), client(t), tt.issuer)
		if tt.kind == "" && (err != nil || m.Token != s.URL+"/t" || strings.Join(asked, " ") != tt.asked) {
			t.Errorf("%s: %+v, %v after %q", name, m, err, asked)
		}
		if tt.kind != "" && (err == nil || tool.AsError(err).Kind != tt.kind) {
			t.Errorf("%s: %+v, %v, want %s", name, m, err, tt.kind)
		}
	}
}

func TestPrivate(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"https://id.example": true, "http://127.0.0.1:8080/x": true, "http://[::1]:1": true, "http://localhost": true,
		"http://a.localhost.": true, "http://127.9.9.9": true, "http://id.example": false, "http://localhost.example": false,
		"http://10.0.0.1": false, "ftp://127.0.0.1": false, "javascript:alert(1)": false, "": false, "https:///x": false,
		"//127.0.0.1": false, "http://0.0.0.0": false,
	} {
		if got := oauth.Private(address); got != want {
			t.Errorf("Private(%q) = %v", address, got)
		}
	}
}

// FuzzMetadata: no document leads to an address that is not private, or to that of another
// issuer.
func FuzzMetadata(f *testing.F) {
	f.Add([]byte(`{"issuer": "http://127.0.0.1:1", "authorization_endpoint": "https://a", "token_endpoint": "https://b"}`))
	f.Add([]byte(`{"issuer": "http://127.0.0.1:1", "token_endpoint": "http://169.254.169.254/"}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		c := oauth.Client(func(r *http.Request) (*http.Response, error) {
			w := httptest.NewRecorder()
			_, _ = w.Write(text)
			res := w.Result()
			res.Request = r
			return res, nil
		}, time.Minute)
		m, err := oauth.Discover(t.Context(), c, "http://127.0.0.1:1")
		if err != nil {
			return
		}
		for _, address := range []string{m.Authorization, m.Token, m.Revocation, m.Device, m.UserInfo} {
			if address != "" && !oauth.Private(address) || m.Issuer != "http://127.0.0.1:1" {
				t.Errorf("Discover = %+v", m)
			}
		}
	})
}
