package people

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/accounts/oauth/oauthtest"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/internal/test/e2e/system/mcpclient"
)

// keys are the keys of a system with authentication, by the name of their holder.
type keys map[string]string

// guarded starts a system with the keys of two persons, an agent of ann, an approver, an
// admin without a name and one with.
func guarded(t *testing.T, workers int) (*system.System, keys) {
	t.Helper()
	names := []string{"ann", "bob", "agent", "approver", "root", "nameless"}
	file, made := system.KeysFile(t,
		identity.Entry{User: "ann", Roles: []string{"user"}}, identity.Entry{User: "bob", Roles: []string{"user"}},
		identity.Entry{User: "ann", Agent: "helper", Roles: []string{"user", "agent"}},
		identity.Entry{User: "cy", Roles: []string{"user", "approver"}},
		identity.Entry{User: "root", Roles: []string{"admin"}}, identity.Entry{Roles: []string{"admin"}})
	s := launchCloud(t, system.Plan{Config: func(c *config.Config) { c.Auth.KeysFile = file }}, workers)
	all := keys{}
	for i, name := range names {
		all[name] = made[i]
	}
	return s, all
}

func (k keys) door(t *testing.T, s *system.System, name string) system.HTTPDoor {
	t.Helper()
	return system.HTTPDoor{Client: mcpclient.Web(t, s, map[string]string{"Authorization": "Bearer " + k[name]}), URL: s.URLs[0]}
}

// TestForeignPersons: link, state and account are the person's own, whatever key or cookie
// somebody else has.
func TestForeignPersons(t *testing.T) {
	t.Parallel()
	s, k := guarded(t, 1)
	p := oauthtest.New(t, oauthtest.Behaviour{Life: time.Hour})
	ann, root := k.door(t, s, "ann"), k.door(t, s, "root")
	register(t, root, cloud, oauthtest.Body(p.Discovered()))
	e, asked := waiting(t, ann, "ann", `{"tool": "cloud_read"}`)

	others := map[string]int{"bob": 404, "root": 404, "approver": 404, "nameless": 404, "agent": 403, "": 401, "wrong": 401}
	k["wrong"] = "helve_" + strings.Repeat("x", 40)
	for name, want := range others {
		if status, to := newBrowser(t, s, k[name]).step(t, asked.ConnectURL); status != want || to != "" {
			t.Errorf("the link as %q = %d %s, want %d", name, status, to, want)
		}
	}
	if r := k.door(t, s, "bob").Ask(t, "default", "consent.get", map[string]string{"consent_id": asked.ID}, ""); r.Status != 404 {
		t.Errorf("the consent as bob = %d", r.Status)
	}
	own := newBrowser(t, s, k["ann"])
	status, page := own.step(t, asked.ConnectURL)
	if status != 302 {
		t.Fatalf("the link as ann = %d", status)
	}
	status, back := newBrowser(t, s, "").step(t, page)
	if status != 302 || !strings.HasPrefix(back, s.URLs[0]+"/v1/connect/callback?") {
		t.Fatalf("the provider answers %d %s", status, back)
	}
	// Another session of the same browser has ann's cookie and bob's key.
	mixed := newBrowser(t, s, k["bob"])
	mixed.Jar = own.Jar
	for what, b := range map[string]*browser{
		"bob":                   newBrowser(t, s, k["bob"]),
		"root":                  newBrowser(t, s, k["root"]),
		"nobody":                newBrowser(t, s, ""),
		"agent":                 newBrowser(t, s, k["agent"]),
		"bob with ann's cookie": mixed,
	} {
		if status, _ := b.step(t, back); status < 400 {
			t.Errorf("the callback as %s = %d", what, status)
		}
	}
	if n := p.Requests("/token", ""); n != 0 {
		t.Fatalf("%d requests for tokens by others", n)
	}
	if status, _ := newBrowser(t, s, k["ann"]).step(t, back); status != 200 {
		t.Fatalf("the callback as ann = %d", status)
	}
	for _, name := range []string{"ann", "bob"} {
		if status, _ := newBrowser(t, s, k[name]).step(t, back); status != 404 {
			t.Errorf("the state again as %s = %d", name, status)
		}
	}
	token := used(t, done(t, ann, e.CallID)).Token
	if status, _ := own.step(t, asked.ConnectURL); status != 409 {
		t.Errorf("the link after the call was resumed = %d", status)
	}
	if _, req := waiting(t, k.door(t, s, "bob"), "bob", `{"tool": "cloud_read"}`); req.ID == asked.ID {
		t.Error("bob waits with ann's consent")
	}
	for _, name := range []string{"bob", "approver"} {
		for _, operation := range []string{"services.delete", "services.test", "services.connect", "services.connection", "services.list"} {
			params := map[string]string{"service": cloud, "label": "default", "user": "ann"}
			if r := k.door(t, s, name).Ask(t, "default", operation, params, "{}"); r.Status != 403 {
				t.Errorf("%s of ann as %s = %d %s", operation, name, r.Status, r.Body)
			}
		}
	}
	if r := root.Ask(t, "default", "services.connect", map[string]string{"service": cloud, "label": "default", "user": "ann"},
		"{}"); r.Status != 403 {
		t.Errorf("an admin connects ann's account = %d %s", r.Status, r.Body)
	}
	set := `{"user": "ann", "type": "custom", "fields": {"access_token": "x"}}`
	if r := root.Ask(t, "default", "services.set", map[string]string{"service": cloud, "label": "default"}, set); r.Status != 403 {
		t.Errorf("an admin sets ann's account = %d %s", r.Status, r.Body)
	}
	for _, name := range []string{"root", "ann"} {
		r := k.door(t, s, name).Ask(t, "default", "services.get", map[string]string{"service": cloud, "user": "ann"}, "")
		if text := string(r.Body); !strings.Contains(text, `"access_token":{"set":true}`) || !strings.Contains(text, `"scopes":"read write"`) ||
			!strings.Contains(text, `"expires_at":"`) || strings.Contains(text, token) {
			t.Errorf("services.get as %s = %s", name, text)
		}
	}
	if r := ann.Ask(t, "default", "services.set", map[string]string{"service": cloud, "label": "default"},
		oauthtest.Body(p.Fields())); r.Status != 403 {
		t.Errorf("a person sets a registration = %d %s", r.Status, r.Body)
	}
}

// TestAnotherBrowser: without authentication, the browser that started ends it.
func TestAnotherBrowser(t *testing.T) {
	t.Parallel()
	s := launchCloud(t, system.Plan{}, 1)
	p := oauthtest.New(t, oauthtest.Behaviour{})
	d := s.HTTP(0)
	register(t, d, cloud, oauthtest.Body(p.Discovered()))
	e, asked := waiting(t, d, "ann", `{"tool": "cloud_read"}`)
	first := newBrowser(t, s, "")
	_, page := first.step(t, asked.ConnectURL)
	_, back := first.step(t, page)
	if status, _ := newBrowser(t, s, "").step(t, back); status != 404 {
		t.Errorf("another browser ends it with %d", status)
	}
	second := newBrowser(t, s, "") // which has a cookie, but of another attempt
	second.step(t, asked.ConnectURL)
	if status, _ := second.step(t, back); status != 404 {
		t.Errorf("a browser with another cookie ends it with %d", status)
	}
	if status, _ := first.step(t, back); status != 200 {
		t.Errorf("the browser that started ends it with %d", status)
	}
	used(t, done(t, d, e.CallID))
}

// TestAddresses: the provider gets exactly the address of the callback, and nothing in a
// request leads a browser elsewhere.
func TestAddresses(t *testing.T) {
	t.Parallel()
	s := launchCloud(t, system.Plan{}, 1)
	p := oauthtest.New(t, oauthtest.Behaviour{})
	d := s.HTTP(0)
	register(t, d, cloud, oauthtest.Body(p.Discovered()))
	_, asked := waiting(t, d, "ann", `{"tool": "cloud_read"}`)
	for _, more := range []string{
		"", "?redirect_uri=https://evil.example", "?next=https://evil.example", "?return_to=//evil.example", "?issuer=https://evil.example",
	} {
		status, page := newBrowser(t, s, "").step(t, asked.ConnectURL+more)
		u, err := url.Parse(page)
		if err != nil || status != 302 || !strings.HasPrefix(page, p.URL+"/authorize?") ||
			u.Query().Get("redirect_uri") != s.URLs[0]+"/v1/connect/callback" {
			t.Errorf("%q leads to %d %s", more, status, page)
		}
	}
	b := newBrowser(t, s, "")
	for _, path := range []string{
		"//evil.example", "..%2f..%2fevil", "https:%2f%2fevil.example", "c-none", "a-none", strings.Repeat("c", 200), "callback",
		"callback?code=x", "callback?state=x&code=y", "callback?state=x&state=y&code=z",
	} {
		if status, to := b.step(t, s.URLs[0]+"/v1/connect/"+path); status < 400 && !strings.HasPrefix(to, "/v1/connect/") &&
			!strings.HasPrefix(to, s.URLs[0]) {
			t.Errorf("%s = %d %s", path, status, to)
		}
	}
	head := http.Header{"Host": {"evil.example"}}
	if r := d.Send(t, http.MethodGet, strings.TrimPrefix(asked.ConnectURL, s.URLs[0]), "", head); r.Status == 302 &&
		strings.Contains(r.Header.Get("Location"), "evil") {
		t.Errorf("another Host = %d %v", r.Status, r.Header)
	}
}
