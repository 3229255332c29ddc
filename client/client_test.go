package client

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestNewRefuses(t *testing.T) {
	for _, tt := range []struct {
		server string
		opts   []Option
		want   string
	}{
		{"", nil, `the server "" is not a URL; use http://HOST:PORT or nats://HOST:PORT`},
		{"localhost:8080", nil, `the server "localhost:8080" is not a URL; use http://HOST:PORT or nats://HOST:PORT`},
		{"ftp://host", nil, `the server URL begins with "ftp"; use http, https, nats or tls`},
		{"http://u:secret@ho st", nil, "the server URL cannot be read; use http://HOST:PORT or nats://HOST:PORT"},
		{"http://host/?a=b", nil, "the server URL must end with its path, without query or fragment"},
		{
			"http://host", []Option{WithTenant("a.b"), WithPrefix("a.*")},
			"tenant \"a.b\" must have 1 to 64 letters, digits, underscores and hyphens\nprefix \"a.*\" must be NATS subject tokens without " +
				"wildcards, like helve.v1",
		},
		{"http://host", []Option{WithCredentials("x.creds")}, "NATS credentials are of no use with an http URL"},
		{"http://host", []Option{WithToken("two words")}, `the token must be one word of visible ASCII characters, without "Bearer"`},
		{"http://host", []Option{WithToken("a\r\nHost: b")}, `the token must be one word of visible ASCII characters, without "Bearer"`},
		{"nats://host", []Option{WithToken("two words")}, `the token must be one word of visible ASCII characters, without "Bearer"`},
		{"nats://host", []Option{WithHTTPClient(http.DefaultClient)}, "an HTTP client is of no use with NATS"},
		{"http://host", []Option{WithNATSContext("prod")}, "a NATS context names its own servers: leave the server URL empty"},
	} {
		_, err := New(tt.server, tt.opts...)
		if err == nil || err.Error() != tt.want {
			t.Errorf("New(%q) = %v\nwant %s", tt.server, err, tt.want)
		}
		if errors.Is(err, ErrUnreachable) {
			t.Errorf("New(%q) is ErrUnreachable, but nothing was tried", tt.server)
		}
	}
}

func TestNewWithoutItsFiles(t *testing.T) {
	f := farNATS(t, always(`{}`))
	missing := filepath.Join(t.TempDir(), "missing")
	for _, tt := range []struct {
		server string
		opt    Option
	}{{f.url, WithCredentials(missing)}, {"", WithNATSContext(missing)}} {
		_, err := New(tt.server, tt.opt)
		if err == nil || errors.Is(err, ErrUnreachable) {
			t.Errorf("New without its file: error %v, want one about the file", err)
		}
	}
}

func TestContextOr(t *testing.T) {
	own, given := Context{User: "u1", Conversation: "c1"}, Context{User: "u2", Agent: "a2", Conversation: "c2", Toolset: "code"}
	if got, want := orContext(own, given), (Context{User: "u1", Agent: "a2", Conversation: "c1", Toolset: "code"}); got != want {
		t.Errorf("%+v or %+v = %+v, want %+v", own, given, got, want)
	}
}

func TestNATSContext(t *testing.T) {
	f := farNATS(t, always(`{"groups":[{"name":"files"}]}`))
	text, err := json.Marshal(map[string]string{"url": f.url})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "prod.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	f.url = ""
	groups, err := connect(t, f, WithNATSContext(file)).Groups(t.Context())
	if err != nil || len(groups) != 1 || groups[0].Name != "files" {
		t.Errorf("Groups over a NATS context = %v, %v", groups, err)
	}
}

func TestPrefix(t *testing.T) {
	f := farNATS(t, always(`{}`))
	_, err := connect(t, f, WithPrefix("elsewhere.v1")).Groups(t.Context())
	if err == nil || !strings.HasSuffix(err.Error(), "no dispatcher listens below elsewhere.v1.default") {
		t.Errorf("Groups below another prefix: error %v", err)
	}
}

func TestHTTPClientAndPath(t *testing.T) {
	f := farHTTP(t, always(`{}`))
	var paths []string
	hc := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		paths = append(paths, r.URL.Path)
		r.URL.Path = strings.TrimPrefix(r.URL.Path, "/helve")
		return http.DefaultTransport.RoundTrip(r)
	})}
	f.url += "/helve/"
	if _, err := connect(t, f, WithHTTPClient(hc)).Groups(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(paths) != 1 || paths[0] != "/helve/v1/groups" {
		t.Errorf("the given HTTP client was asked for %v, want /helve/v1/groups", paths)
	}
}

// TestToken sends the token with every request, also for events and results, but not to
// a server that we are redirected to. The tenant is the token's unless one is set.
func TestToken(t *testing.T) {
	var seen []string
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		seen = append(seen, "elsewhere "+r.Header.Get("Authorization"))
	}))
	defer elsewhere.Close()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.URL.Path+r.Header.Get("Helve-Tenant")+" "+r.Header.Get("Authorization"))
		if r.URL.Path == "/v1/agents" {
			// The same machine under another name is another host.
			http.Redirect(w, r, strings.Replace(elsewhere.URL, "127.0.0.1", "localhost", 1), http.StatusTemporaryRedirect)
		}
	}))
	defer srv.Close()
	c := connect(t, &far{url: srv.URL}, WithToken("hk_a_b"))
	c.Groups(t.Context())
	for range c.Events(t.Context(), trace) {
		break
	}
	c.via.fetch(t.Context(), "c1", nil, 10)
	c.Agents(t.Context())
	connect(t, &far{url: srv.URL}, WithToken("hk_a_b"), WithTenant("t2")).Groups(t.Context())
	want := []string{
		"/v1/groups Bearer hk_a_b", "/v1/events Bearer hk_a_b", "/v1/calls/c1/result Bearer hk_a_b", "/v1/agents Bearer hk_a_b", "elsewhere ",
		"/v1/groupst2 Bearer hk_a_b",
	}
	if !slices.Equal(seen, want) {
		t.Errorf("the servers saw %q, want %q", seen, want)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
