package people

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

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestTokenNarrowsPaths: a token narrows the paths of a call even if the call needs none.
func TestTokenNarrowsPaths(t *testing.T) {
	t.Parallel()
	tenant, trace, d := system.NewTenant(), system.NewTrace(), shared.HTTP(0)
	tok := system.MintToken(t, d, tenant, trace, `"tools": ["write_file", "read_file"], "scopes": {"paths": ["notes"]}, "reusable": true`)
	write := func(path string) system.Element {
		return system.ExecuteWithToken(t, d, tenant, "u1", trace, tok,
			fmt.Sprintf(`{"tool": "write_file", "arguments": {"path": %q, "content": "x"}}`, path))
	}
	if e := write("notes/a.txt"); e.Status != "success" {
		t.Errorf("within the scope: %v", e)
	}
	for _, path := range []string{"a.txt", "notes2/a.txt", "notes/../a.txt", "./a.txt", "other/notes/a.txt", "Notes/a.txt"} {
		system.WantError(t, write(path), "path_not_allowed", "")
	}
	// A link within the scope cannot leave the scope.
	root := filepath.Join(shared.Config.Data, "workspaces", tenant, "u1")
	if err := os.Symlink(root, filepath.Join(root, "notes", "up")); err != nil {
		t.Fatal(err)
	}
	system.WantError(t, write("notes/up/a.txt"), "path_not_allowed", "")
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
	tenant, trace, d := system.NewTenant(), system.NewTrace(), shared.HTTP(0)
	post := func(host, path string) system.Element {
		tok := system.MintToken(t, d, tenant, trace, fmt.Sprintf(`"tools": ["http_request"], "scopes": {"hosts": [%q]}`, host))
		return system.ExecuteWithToken(t, d, tenant, "u1", trace, tok,
			fmt.Sprintf(`{"tool": "http_request", "arguments": {"method": "POST", "url": "%s%s"}}`, site.URL, path))
	}
	system.WantError(t, post("example.org", "/"), "permission_denied", "host")
	system.WantError(t, post("127.0.0.1:1", "/"), "permission_denied", "host")
	if hits.Load() != 0 {
		t.Errorf("%d requests left for a host outside of the token's scope", hits.Load())
	}
	at := strings.TrimPrefix(site.URL, "http://")
	if e := post(at, "/"); e.Status != "success" || hits.Load() != 1 {
		t.Errorf("within the scope: %v, %d requests", e, hits.Load())
	}
	system.WantError(t, post(at, "/away"), "permission_denied", "host")
	if reached.Load() != 0 {
		t.Error("a redirect led out of the token's scope")
	}
}
