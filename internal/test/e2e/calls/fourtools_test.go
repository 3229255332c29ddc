package calls

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestFourTools sends four calls of four tools in one request, answered in order.
func TestFourTools(t *testing.T) {
	t.Parallel()
	outside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprintf(w, "%s %s %s", r.Method, r.URL.Path, body)
	}))
	t.Cleanup(outside.Close)
	zone, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		t.Fatal(err)
	}
	// otherwise a POST needs consent
	s := system.Launch(t, system.Plan{Groups: []string{"webFetch"}, Config: func(c *config.Config) { c.Profile = "auto" }})
	system.EveryDoor(t, s, func(t *testing.T, d system.Door) {
		tenant := system.NewTenant()
		wantText := func(e system.Element, want string) {
			t.Helper()
			if e.Status != "success" || !strings.Contains(e.Text+string(e.Result), want) {
				t.Errorf("%v (text %q), want success with %q", e, e.Text, want)
			}
		}
		first := system.Together(t, d, tenant,
			`{"tool": "get_current_time", "arguments": {"timezone": "Europe/Paris"}}`,
			`{"tool": "write_file", "arguments": {"path": "notes/a.txt", "content": "line one"}}`,
			`{"tool": "http_request", "arguments": {"url": "`+outside.URL+`/x", "method": "POST", "body": "hello"}}`,
			`{"tool": "read_file", "arguments": {"path": "missing.txt"}}`)
		wantText(first[0], time.Now().In(zone).Format("-07:00"))
		wantText(first[1], "notes/a.txt")
		wantText(first[2], "POST /x hello")
		system.WantError(t, first[3], "file_not_found", "missing.txt")
		wantText(system.One(t, d, tenant, `{"tool": "read_file", "arguments": {"path": "notes/a.txt"}}`), "line one")
		system.WantError(t, system.One(t, d, tenant, `{"tool": "read_file", "arguments": {"path": "../../../etc/passwd"}}`),
			"path_not_allowed", "")
		system.WantError(t, system.One(t, d, tenant, `{"tool": "http_request", "arguments": {"url": "http://169.254.169.254/latest"}}`),
			"permission_denied", "")
		system.WantError(t, system.One(t, d, tenant, `{"tool": "http_request", "arguments": {"url": "http://[::1]:1/"}}`),
			"permission_denied", "")
	})
}

// TestUsersAreSeparate: the users of a tenant do not see each other's files.
func TestUsersAreSeparate(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	as := func(user, call string) system.Element {
		who, _ := json.Marshal(user)
		return system.Execute(t, shared.HTTP(0), tenant, `{"context": {"user": `+string(who)+`}, "calls": [`+call+`]}`).Results[0]
	}
	if e := as("ann", `{"tool": "write_file", "arguments": {"path": "a.txt", "content": "of ann"}}`); e.Status != "success" {
		t.Fatalf("%v", e)
	}
	system.WantError(t, as("bob", `{"tool": "read_file", "arguments": {"path": "a.txt"}}`), "file_not_found", "")
	system.WantError(t, as("bob", `{"tool": "read_file", "arguments": {"path": "../ann/a.txt"}}`), "path_not_allowed", "")
	if e := as("ann", `{"tool": "read_file", "arguments": {"path": "a.txt"}}`); e.Text != "of ann" {
		t.Errorf("%v, want the contents", e)
	}
}
