package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// TestTokenNarrowsPaths: a token narrows what a call may reach also where the
// call would have run without one.
func TestTokenNarrowsPaths(t *testing.T) {
	t.Parallel()
	tenant, trace, d := newTenant(), newTrace(), shared.http(0)
	tok := mint(t, d, tenant, trace, `"tools": ["write_file", "read_file"], "scopes": {"paths": ["notes"]}, "reusable": true`)
	write := func(path string) element {
		return show(t, d, tenant, "u1", trace, tok, fmt.Sprintf(`{"tool": "write_file", "arguments": {"path": %q, "content": "x"}}`, path))
	}
	if e := write("notes/a.txt"); e.Status != "success" {
		t.Errorf("within the scope: %v", e)
	}
	for _, path := range []string{"a.txt", "notes2/a.txt", "notes/../a.txt", "./a.txt", "other/notes/a.txt", "Notes/a.txt"} {
		wantError(t, write(path), "path_not_allowed", "")
	}
	// A link within the scope leads no further than the scope.
	root := filepath.Join(shared.cfg.Data, "workspaces", tenant, "u1")
	if err := os.Symlink(root, filepath.Join(root, "notes", "up")); err != nil {
		t.Fatal(err)
	}
	wantError(t, write("notes/up/a.txt"), "path_not_allowed", "")
	if _, err := os.Stat(filepath.Join(root, "a.txt")); err == nil {
		t.Error("a file was written outside of the token's scope")
	}
}

// TestTokenNarrowsHosts: a POST needs a token, and reaches only its hosts, also
// by redirect.
func TestTokenNarrowsHosts(t *testing.T) {
	t.Parallel()
	var hits, reached atomic.Int32
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(elsewhere.Close)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits.Add(1)
		if r.URL.Path == "/away" {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
			return
		}
		_, _ = io.WriteString(w, "done")
	}))
	t.Cleanup(site.Close)
	tenant, trace, d := newTenant(), newTrace(), shared.http(0)
	post := func(host, path string) element {
		tok := mint(t, d, tenant, trace, fmt.Sprintf(`"tools": ["http_request"], "scopes": {"hosts": [%q]}`, host))
		return show(t, d, tenant, "u1", trace, tok, fmt.Sprintf(`{"tool": "http_request", "arguments": {"method": "POST", "url": "%s%s"}}`, site.URL, path))
	}
	wantError(t, post("example.org", "/"), "permission_denied", "host")
	wantError(t, post("127.0.0.1:1", "/"), "permission_denied", "host")
	if hits.Load() != 0 {
		t.Errorf("%d requests left for a host outside of the token's scope", hits.Load())
	}
	at := strings.TrimPrefix(site.URL, "http://")
	if e := post(at, "/"); e.Status != "success" || hits.Load() != 1 {
		t.Errorf("within the scope: %v, %d requests", e, hits.Load())
	}
	wantError(t, post(at, "/away"), "permission_denied", "host")
	if reached.Load() != 0 {
		t.Error("a redirect led out of the token's scope")
	}
}
