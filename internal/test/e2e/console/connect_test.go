package console

import (
	"net/http"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/accounts/oauth/oauthtest"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/protocol"
)

// TestConnectFromConsole: a person who has signed in connects an account without a code,
// because the page shows whose browser it is; a browser without a session must confirm. A
// cookie alone does not show it: without TLS others can set it.
func TestConnectFromConsole(t *testing.T) {
	t.Parallel()
	p := newPeople(t, nil)
	provider := oauthtest.New(t, oauthtest.Behaviour{})
	if r := p.browser(t, "root").send(0, http.MethodPut, "/v1/services/cloud/default",
		oauthtest.Body(provider.Discovered())); r.Status != 200 {
		t.Fatalf("services.set = %d %s", r.Status, r.Body)
	}
	ann := p.browser(t, "ann")
	for what, b := range map[string]*session{"the person's browser": ann, "a browser without a session": newSession(t, p.System)} {
		begun := ann.send(0, http.MethodPost, "/v1/services/cloud/default/connect?browser=true", "")
		link := system.Decode[protocol.Connection](t, begun)
		start := strings.TrimPrefix(link.ConnectURL, p.URLs[0])
		if begun.Status != 200 || start == link.ConnectURL {
			t.Fatalf("services.connect = %d %s", begun.Status, begun.Body)
		}
		opened := b.send(0, http.MethodGet, start, "", "Accept: text/html", "Helve-Console: ")
		if b != ann {
			back := b.visit(opened.Header.Get("Location"))
			end := b.send(0, http.MethodGet, back.RequestURI(), "", "Accept: text/html", "Sec-Fetch-Site: cross-site", "Helve-Console: ")
			if opened.Status != http.StatusFound || end.Status != 200 || !strings.Contains(string(end.Body), "Enter this code") {
				t.Errorf("%s: the link is %d, and ends at %d %s", what, opened.Status, end.Status, end.Body)
			}
			continue
		}
		if page := strings.TrimPrefix(start, "/v1"); opened.Status != http.StatusSeeOther || opened.Header.Get("Location") != page {
			t.Fatalf("%s: the link is %d %s, want the page %s", what, opened.Status, opened.Header.Get("Location"), page)
		}
		first := b.send(0, http.MethodGet, start, "")
		back := b.visit(system.Decode[struct{ Location string }](t, first).Location)
		// A page at another port can set the cookie of an attempt of its own in another's browser.
		bob := p.browser(t, "bob")
		for _, c := range b.http.Jar.Cookies(back) {
			if strings.HasPrefix(c.Name, "helve_connect_") {
				bob.http.Jar.SetCookies(back, []*http.Cookie{c})
			}
		}
		for name, b := range map[string]*session{"the person's": b, "another's": bob} {
			r := b.send(0, http.MethodGet, back.RequestURI(), "", "Accept: text/html", "Sec-Fetch-Site: cross-site", "Helve-Console: ")
			if to := r.Header.Get("Location"); r.Status != http.StatusSeeOther || to != strings.TrimPrefix(back.RequestURI(), "/v1") {
				t.Errorf("the answer in %s browser = %d %s %s", name, r.Status, to, r.Body)
			}
		}
		if r := bob.send(0, http.MethodGet, back.RequestURI(), ""); r.Status != 401 && r.Status != 404 {
			t.Errorf("the page of another person = %d %s", r.Status, r.Body)
		}
		if r := b.send(0, http.MethodGet, back.RequestURI(), ""); r.Status != 200 || !strings.Contains(string(r.Body), `"status":"connected"`) {
			t.Errorf("the page of the person = %d %s", r.Status, r.Body)
		}
	}
	if r := p.browser(t, "bob").send(0, http.MethodGet, "/v1/connect/a-nobodys", ""); r.Status != 404 {
		t.Errorf("another's link = %d %s", r.Status, r.Body)
	}
}
