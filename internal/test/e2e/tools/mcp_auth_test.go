package tools

import (
	"net/http"
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/internal/test/e2e/system/mcpclient"
)

// keyed writes a file of one key for each role, all of the person u1, and returns the
// keys.
func keyed(t *testing.T, roles ...string) (file string, keys []string) {
	t.Helper()
	var entries []identity.Entry
	for _, role := range roles {
		entries = append(entries, identity.Entry{User: "u1", Roles: []string{role}})
	}
	return system.KeysFile(t, entries...)
}

// TestMCPCredentials: with authentication on, the credential determines the caller, and
// answering a form gives no caller the right to decide.
func TestMCPCredentials(t *testing.T) {
	t.Parallel()
	file, keys := keyed(t, "agent", "user", "auditor")
	s := system.Launch(t, system.Plan{Config: func(c *config.Config) { c.Auth.KeysFile = file }})
	bearer := func(i int, more ...string) map[string]string {
		set := map[string]string{"Authorization": "Bearer " + keys[i]}
		for i := 0; i < len(more); i += 2 {
			set[more[i]] = more[i+1]
		}
		return set
	}
	for name, c := range map[string]struct {
		set    map[string]string
		status int
		path   string
	}{
		"nobody":         {nil, http.StatusUnauthorized, "/mcp"},
		"a wrong key":    {map[string]string{"Authorization": "Bearer " + keys[0] + "x"}, http.StatusUnauthorized, "/mcp"},
		"another tenant": {bearer(0, "Helve-Tenant", "other"), http.StatusForbidden, "/mcp"},
		"an auditor":     {bearer(2), http.StatusForbidden, "/mcp"},
		"a foreign page": {bearer(0, "Origin", "https://evil.example"), http.StatusForbidden, "/mcp"},
		"an agent":       {bearer(0), http.StatusOK, "/mcp"},
		"its own user":   {bearer(0, "Helve-User", "u1"), http.StatusOK, "/mcp"},
		"a foreign user": {bearer(0, "Helve-User", "u2"), http.StatusOK, "/mcp"}, // which the answer refuses

		"nobody at a set":            {nil, http.StatusUnauthorized, "/mcp/all"},
		"nobody at an unknown set":   {nil, http.StatusUnauthorized, "/mcp/nope"},
		"a foreign page at a set":    {bearer(0, "Origin", "https://evil.example"), http.StatusForbidden, "/mcp/all"},
		"an auditor at a set":        {bearer(2), http.StatusForbidden, "/mcp/code"},
		"an agent at a set":          {bearer(0), http.StatusOK, "/mcp/all"},
		"an agent at an unknown set": {bearer(0), http.StatusNotFound, "/mcp/nope"},
	} {
		req, err := http.NewRequestWithContext(system.Context(t), http.MethodPost, s.URLs[0]+c.path, strings.NewReader(newCall))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		for name, value := range newHead() {
			req.Header.Set(name, value)
		}
		for name, value := range c.set {
			req.Header.Set(name, value)
		}
		got := mcpclient.Do(t, s.Client, req)
		if got.Status != c.status || got.Status == http.StatusUnauthorized && got.Header.Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("%s was answered %d %s", name, got.Status, got.Body)
		}
		if name == "a foreign user" && (strings.Contains(got.Body, `"content"`) || !strings.Contains(got.Body, "u2")) {
			t.Errorf("%s was answered %s", name, got.Body)
		}
	}

	p := &mcpclient.Person{Action: "accept"}
	agent := mcpclient.Connect(t, s, mcpclient.Versions[0], bearer(0), p.Options())
	res, text := mcpclient.Call(t, agent, "debug.guarded", map[string]any{"key": "k1"})
	if !res.IsError || !strings.Contains(text, "must be granted") {
		t.Errorf("an agent that answers its own question ended its call as %s", text)
	}
	if lines := system.UserLedger(t, s, "default", "u1"); len(lines) != 0 {
		t.Errorf("the ledger has %q: nobody has decided", lines)
	}
	user := mcpclient.Connect(t, s, mcpclient.Versions[0], bearer(1), p.Options())
	if res, text := mcpclient.Call(t, user, "debug.guarded", map[string]any{"key": "k2"}); res.IsError {
		t.Errorf("the person's own call ended as %s", text)
	}
	if lines := system.UserLedger(t, s, "default", "u1"); len(lines) != 1 {
		t.Errorf("the ledger has %q, want the person's call", lines)
	}
}
