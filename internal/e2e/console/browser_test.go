package console

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/e2e/system"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/testtime"
	"github.com/helve-dev/helve/protocol"
)

// browser is a browser as far as requests go: it keeps cookies, and names the page that
// sends a request.
type browser struct {
	t    *testing.T
	sys  *system.System
	http *http.Client
}

func newBrowser(t *testing.T, s *system.System) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{t, s, &http.Client{
		Transport: s.Client.Transport, Jar: jar, Timeout: testtime.Patience(),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// send sends a request as a page of the dispatcher does, with headers in place of its own;
// an empty value removes one.
func (b *browser) send(dispatcher int, method, path, body string, headers ...string) system.Reply {
	b.t.Helper()
	header := http.Header{"Sec-Fetch-Site": {"same-origin"}}
	if body != "" {
		header.Set("Content-Type", "application/json")
	}
	if method != http.MethodGet && method != http.MethodHead {
		header.Set("Origin", b.sys.URLs[dispatcher])
		header.Set("Helve-Console", "1")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if header.Set(name, value); value == "" {
			header.Del(name)
		}
	}
	return system.HTTPDoor{Client: b.http, URL: b.sys.URLs[dispatcher]}.Send(b.t, method, path, body, header)
}

// signIn signs in with a key.
func (b *browser) signIn(dispatcher int, key string) system.Reply {
	b.t.Helper()
	return b.send(dispatcher, http.MethodPost, "/login", `{"key": "`+key+`"}`)
}

// me returns who the browser is at a dispatcher, and the status.
func (b *browser) me(dispatcher int) (protocol.Me, int) {
	b.t.Helper()
	r := b.send(dispatcher, http.MethodGet, "/v1/me", "")
	if r.Status != http.StatusOK {
		return protocol.Me{}, r.Status
	}
	return system.Decode[protocol.Me](b.t, r), r.Status
}

// session returns the session cookie.
func (b *browser) session() string {
	b.t.Helper()
	u, err := url.Parse(b.sys.URLs[0])
	if err != nil {
		b.t.Fatal(err)
	}
	for _, c := range b.http.Jar.Cookies(u) {
		if c.Name == "helve_session" {
			return c.Value
		}
	}
	return ""
}

// people is a system whose people have keys, by name.
type people struct {
	*system.System

	keys map[string]string
	file string
}

// newPeople starts two dispatchers with a key for a person of each role.
func newPeople(t *testing.T, change func(*config.Config)) *people {
	t.Helper()
	entries := []identity.Entry{
		{User: "ann", Roles: []string{"user", "agent"}, Name: "laptop"}, {User: "bob", Roles: []string{"user"}}, {User: "cleo", Roles: []string{"approver"}},
		{User: "eve", Roles: []string{"auditor"}}, {User: "root", Roles: []string{"admin"}}, {User: "bot", Roles: []string{"agent"}}, {User: "far", Roles: []string{"remote"}},
	}
	file, keys := system.KeysFile(t, entries...)
	p := &people{keys: map[string]string{}, file: file}
	for i, e := range entries {
		p.keys[e.User] = keys[i]
	}
	p.System = system.Launch(t, system.Plan{Dispatchers: 2, Config: func(c *config.Config) {
		c.Auth.KeysFile = file
		if change != nil {
			change(c)
		}
	}})
	return p
}

// browser returns the browser of a person who has signed in.
func (p *people) browser(t *testing.T, name string) *browser {
	t.Helper()
	b := newBrowser(t, p.System)
	if r := b.signIn(0, p.keys[name]); r.Status != http.StatusOK {
		t.Fatalf("%s signs in: %d %s", name, r.Status, r.Body)
	}
	return b
}

// door returns the HTTP door of a person's key.
func (p *people) door(t *testing.T, name string) system.HTTPDoor {
	t.Helper()
	return system.HTTPDoor{Client: &http.Client{Transport: bearer{p.Client.Transport, p.keys[name]}, Timeout: testtime.Patience()}, URL: p.URLs[0]}
}

// bearer adds a key to each request.
type bearer struct {
	http.RoundTripper

	key string
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.key)
	return b.RoundTripper.RoundTrip(r)
}
