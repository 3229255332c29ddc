package console

import (
	"net/http"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// target returns a path of an operation, and a body if it takes one.
func target(op api.Operation) (path, body string) {
	fill := strings.NewReplacer("{call_id}", "c1", "{agent}", "a1", "{name}", "nope", "{consent_id}", "c-x", "{grant_id}", "g-x", "{worker}",
		"w-x", "{pool}", "nope", "{seq}", "999999",
		"{id}", "s-x", "{service}", "nope", "{label}", "default", "{path}", "nope.txt")
	if op.Body {
		body = "{}"
	}
	return fill.Replace(op.Path), body
}

// TestForgery: no page of another site, and nothing that such a page can make a browser
// send, uses a session.
func TestForgery(t *testing.T) {
	t.Parallel()
	p := newPeople(t, nil)
	b := p.browser(t, "root")
	for _, op := range api.Operations() {
		if op.Name == api.Events || op.Public { // the latter answers everybody
			continue
		}
		path, body := target(op)
		for what, tt := range map[string]struct {
			header string
			status int
		}{
			"from another site": {"Sec-Fetch-Site: cross-site", 401}, "from a neighbour": {"Sec-Fetch-Site: same-site", 401},
			"with a wrong credential": {"Authorization: Bearer hk_x", 401}, "with an empty one": {"Authorization: Bearer", 401},
			"without the secret of the pages": {"Helve-Console: ", 401}, "with another": {"Helve-Console: " + newSession(t, p.System).page, 401},
			"with a secret that can be guessed": {"Helve-Console: 1", 401},
		} {
			if r := b.send(0, op.Method, path, body, tt.header); r.Status != tt.status {
				t.Errorf("%s %s = %d %.200s, want %d", op.Name, what, r.Status, r.Body, tt.status)
			}
		}
		if op.Method == http.MethodGet {
			continue
		}
		for what, header := range map[string]string{
			"without an origin": "Origin: ", "of a foreign origin": "Origin: https://evil.example", "of a sandboxed page": "Origin: null",
			"of another port": "Origin: http://127.0.0.1:1", "of a similar host": "Origin: " + b.sys.URLs[0] + ".evil.example",
		} {
			r := b.send(0, op.Method, path, body, header)
			system.WantProblem(t, op.Name+" "+what, r, 403, "forbidden")
		}
	}
	for what, header := range map[string]string{
		"without the header": "Helve-Console: ", "of a foreign origin": "Origin: https://evil.example",
	} {
		system.WantProblem(t, "signing out "+what, b.send(0, http.MethodPost, "/logout", "", header), 403, "forbidden")
	}
	if _, status := b.me(0); status != 200 {
		t.Errorf("after all that the session is over: %d", status)
	}
	if r := b.send(0, http.MethodPut, "/v1/agents/a1", `{"tools": ["*"]}`); r.Status != 200 {
		t.Errorf("the page itself = %d %s", r.Status, r.Body)
	}
	for _, path := range []string{"/mcp", "//mcp", "/mcp/", "/./mcp"} {
		if r := b.send(0, http.MethodPost, path, `{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}`,
			"Accept: application/json, text/event-stream"); r.Status == 200 {
			t.Errorf("POST %s with a session = %d %s", path, r.Status, r.Body)
		}
	}
	system.WantProblem(t, "MCP with a session",
		b.send(0, http.MethodPost, "/mcp", `{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}`), 401, "unauthenticated")
}

// TestFrames: no page can be framed, and what the API answers is nothing to run.
func TestFrames(t *testing.T) {
	t.Parallel()
	b := newSession(t, shared)
	for _, path := range []string{"/", "/login", "/consents/c-1", "/calls/c1", "/tools/debug.echo"} {
		r := b.send(0, http.MethodGet, path, "", "Sec-Fetch-Site: cross-site")
		if r.Status != 200 || !strings.Contains(r.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'") ||
			r.Header.Get("X-Frame-Options") != "DENY" {
			t.Errorf("%s = %d %v", path, r.Status, r.Header)
		}
	}
	for _, path := range []string{"/v1/me", "/v1/tools", "/v1/calls/x", "/v1/nope", "/nope"} {
		if r := b.send(0, http.MethodGet, path, ""); r.Header.Get("X-Content-Type-Options") != "nosniff" ||
			strings.Contains(r.Header.Get("Content-Type"), "html") {
			t.Errorf("%s has %v", path, r.Header)
		}
	}
}

// TestRoles: through each operation a session has the rights of its key, no more and no
// less.
func TestRoles(t *testing.T) {
	t.Parallel()
	p := newPeople(t, nil)
	who := map[string][]identity.Role{
		"ann": {identity.User, identity.Agent}, "cleo": {identity.Approver}, "eve": {identity.Auditor}, "root": {identity.Admin},
		"bot": {identity.Agent}, "far": {identity.Remote},
	}
	for name, roles := range who {
		b, d := p.browser(t, name), p.door(t, name)
		for _, op := range api.Operations() {
			switch op.Name {
			case api.Events, "services.rotate", "audit.rebuild", "data.delete", "data.import": // they do something without a body
				continue
			}
			path, body := target(op)
			byKey := d.Send(t, op.Method, path, body, http.Header{"Content-Type": {"application/json"}})
			byCookie := b.send(1, op.Method, path, body)
			may := op.Permits(identity.Principal{Roles: roles}) == nil
			refused := func(r system.Reply) bool {
				return r.Status == 401 || r.Status == 403 && strings.Contains(string(r.Body), "needs the role")
			}
			if refused(byKey) == may || refused(byCookie) == may {
				t.Errorf("%s of %s: by cookie %d %.150s, by key %d %.150s; permitted: %v",
					op.Name, name, byCookie.Status, byCookie.Body, byKey.Status, byKey.Body, may)
			}
		}
	}
}
