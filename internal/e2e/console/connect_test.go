package console

import (
	"net/http"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/e2e/system"
	"github.com/helve-dev/helve/internal/oauth/oauthtest"
	"github.com/helve-dev/helve/protocol"
)

// TestConnectFromConsole: a person who has signed in connects an account without a code,
// because the session shows whose browser it is; a browser without one must confirm.
func TestConnectFromConsole(t *testing.T) {
	t.Parallel()
	p := newPeople(t, nil)
	provider := oauthtest.New(t, oauthtest.Behaviour{})
	if r := p.browser(t, "root").send(0, http.MethodPut, "/v1/services/cloud/default", oauthtest.Body(provider.Discovered())); r.Status != 200 {
		t.Fatalf("services.set = %d %s", r.Status, r.Body)
	}
	ann := p.browser(t, "ann")
	for what, b := range map[string]*browser{"the person's browser": ann, "a browser without a session": newBrowser(t, p.System)} {
		begun := ann.send(0, http.MethodPost, "/v1/services/cloud/default/connect?browser=true", "")
		link := system.Decode[protocol.Connection](t, begun)
		start := strings.TrimPrefix(link.ConnectURL, p.URLs[0])
		if begun.Status != 200 || start == link.ConnectURL {
			t.Fatalf("services.connect = %d %s", begun.Status, begun.Body)
		}
		first := b.send(0, http.MethodGet, start, "", "Accept: text/html")
		if first.Status != http.StatusFound {
			t.Fatalf("%s: the link is %d %s", what, first.Status, first.Body)
		}
		back := b.visit(first.Header.Get("Location"))
		end := b.send(0, http.MethodGet, back.RequestURI(), "", "Accept: text/html", "Sec-Fetch-Site: cross-site")
		confirmed := strings.Contains(string(end.Body), "is connected for ann")
		if end.Status != 200 || confirmed != (b == ann) {
			t.Errorf("%s ends at %d %s, want that it is connected: %v", what, end.Status, end.Body, b == ann)
		}
	}
	if r := p.browser(t, "bob").send(0, http.MethodGet, "/v1/connect/a-nobodys", ""); r.Status != 404 {
		t.Errorf("another's link = %d %s", r.Status, r.Body)
	}
}
