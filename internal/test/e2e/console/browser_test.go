package console

import (
	"crypto/rand"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/internal/test/testtime"
	"github.com/helve-dev/helve/protocol"
)

// session is a browser as far as requests go: it keeps cookies and the secret of its pages, and
// names the page that sends a request. Its pages have the address of the first dispatcher.
type session struct {
	t    *testing.T
	sys  *system.System
	http *http.Client
	page string
}

func newSession(t *testing.T, s *system.System) *session {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &session{t, s, &http.Client{
		Transport: s.Client.Transport, Jar: jar, Timeout: testtime.Patience(),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, rand.Text() + rand.Text()}
}

// behind sends requests to a dispatcher as a proxy in front of several does: the page has one
// address, whichever answers.
type behind struct {
	http.RoundTripper

	host string
}

func (b behind) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Host = r.URL.Host
	r.URL.Host = b.host
	return b.RoundTripper.RoundTrip(r)
}

// door returns the door of a dispatcher behind the address of the pages.
func (b *session) door(dispatcher int) system.HTTPDoor {
	client := *b.http
	client.Transport = behind{b.http.Transport, strings.TrimPrefix(b.sys.URLs[dispatcher], "http://")}
	return system.HTTPDoor{Client: &client, URL: b.sys.URLs[0]}
}

// send sends a request as a page does, to a dispatcher behind its address, with headers in place
// of its own; an empty value removes one.
func (b *session) send(dispatcher int, method, path, body string, headers ...string) system.Reply {
	b.t.Helper()
	header := http.Header{"Sec-Fetch-Site": {"same-origin"}, "Helve-Console": {b.page}}
	if body != "" {
		header.Set("Content-Type", "application/json")
	}
	if method != http.MethodGet && method != http.MethodHead {
		header.Set("Origin", b.sys.URLs[0])
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if header.Set(name, value); value == "" {
			header.Del(name)
		}
	}
	return b.door(dispatcher).Send(b.t, method, path, body, header)
}

// signIn signs in with a key.
func (b *session) signIn(dispatcher int, key string) system.Reply {
	b.t.Helper()
	return b.send(dispatcher, http.MethodPost, "/login", `{"key": "`+key+`"}`)
}

// me returns who the browser is at a dispatcher, and the status.
func (b *session) me(dispatcher int) (protocol.Me, int) {
	b.t.Helper()
	r := b.send(dispatcher, http.MethodGet, "/v1/me", "")
	if r.Status != http.StatusOK {
		return protocol.Me{}, r.Status
	}
	return system.Decode[protocol.Me](b.t, r), r.Status
}

// sessionCookie returns the name of the session cookie of a system.
func sessionCookie(s *system.System) string {
	return "helve_session_" + s.URLs[0][strings.LastIndex(s.URLs[0], ":")+1:]
}

// session returns the session cookie.
func (b *session) session() string {
	b.t.Helper()
	u, err := url.Parse(b.sys.URLs[0])
	if err != nil {
		b.t.Fatal(err)
	}
	for _, c := range b.http.Jar.Cookies(u) {
		if c.Name == sessionCookie(b.sys) {
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
		{User: "ann", Roles: []string{"user", "agent"}, Name: "laptop"}, {User: "bob", Roles: []string{"user"}},
		{User: "cleo", Roles: []string{"approver"}},
		{User: "eve", Roles: []string{"auditor"}}, {User: "root", Roles: []string{"admin"}}, {User: "bot", Roles: []string{"agent"}},
		{User: "far", Roles: []string{"remote"}},
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

// browser returns the session of a person who has signed in.
func (p *people) browser(t *testing.T, name string) *session {
	t.Helper()
	b := newSession(t, p.System)
	if r := b.signIn(0, p.keys[name]); r.Status != http.StatusOK {
		t.Fatalf("%s signs in: %d %s", name, r.Status, r.Body)
	}
	return b
}

// door returns the HTTP door of a person's key.
func (p *people) door(t *testing.T, name string) system.HTTPDoor {
	t.Helper()
	return system.HTTPDoor{
		Client: &http.Client{Transport: with{p.Client.Transport, "Authorization", "Bearer " + p.keys[name]}, Timeout: testtime.Patience()},
		URL:    p.URLs[0],
	}
}

// with adds a header to each request.
type with struct {
	http.RoundTripper

	name, value string
}

func (w with) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set(w.name, w.value)
	return w.RoundTripper.RoundTrip(r)
}
