package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/identity"
)

// keyed writes a file of one key for each role, all of the person u1, and returns the
// keys.
func keyed(t *testing.T, roles ...string) (file string, keys []string) {
	t.Helper()
	var entries []identity.Entry
	for _, role := range roles {
		key, id, hash := identity.NewKey()
		entries = append(entries, identity.Entry{ID: id, Hash: hash, Tenant: "default", User: "u1", Roles: []string{role}})
		keys = append(keys, key)
	}
	text, err := yaml.Marshal(entries)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "keys.yaml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file, keys
}

// TestMCPCredentials: with authentication on, the credential says who calls, and a form
// makes nobody a person who may decide.
func TestMCPCredentials(t *testing.T) {
	t.Parallel()
	file, keys := keyed(t, "agent", "user", "auditor")
	s := launch(t, plan{config: func(c *config.Config) { c.Auth.KeysFile = file }})
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
	}{
		"nobody":         {nil, http.StatusUnauthorized},
		"a wrong key":    {map[string]string{"Authorization": "Bearer " + keys[0] + "x"}, http.StatusUnauthorized},
		"another tenant": {bearer(0, "Helve-Tenant", "other"), http.StatusForbidden},
		"an auditor":     {bearer(2), http.StatusForbidden},
		"a foreign page": {bearer(0, "Origin", "https://evil.example"), http.StatusForbidden},
		"an agent":       {bearer(0), http.StatusOK},
		"its own user":   {bearer(0, "Helve-User", "u1"), http.StatusOK},
		"a foreign user": {bearer(0, "Helve-User", "u2"), http.StatusOK}, // which the answer refuses
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.urls[0]+"/mcp", strings.NewReader(newCall))
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
		got := do(t, s.client, req)
		if got.status != c.status || got.status == http.StatusUnauthorized && got.header.Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("%s was answered %d %s", name, got.status, got.body)
		}
		if name == "a foreign user" && (strings.Contains(got.body, `"content"`) || !strings.Contains(got.body, "u2")) {
			t.Errorf("%s was answered %s", name, got.body)
		}
	}

	p := &person{action: "accept"}
	agent := mcpClient(t, s, mcpVersions[0], bearer(0), p.options())
	res, text := called(t, agent, "debug.guarded", map[string]any{"key": "k1"})
	if !res.IsError || !strings.Contains(text, "must be granted") {
		t.Errorf("an agent that answers its own question ended its call as %s", text)
	}
	if lines := ledger(t, s, "default", "u1"); len(lines) != 0 {
		t.Errorf("the ledger has %q: nobody has decided", lines)
	}
	user := mcpClient(t, s, mcpVersions[0], bearer(1), p.options())
	if res, text := called(t, user, "debug.guarded", map[string]any{"key": "k2"}); res.IsError {
		t.Errorf("the person's own call ended as %s", text)
	}
	if lines := ledger(t, s, "default", "u1"); len(lines) != 1 {
		t.Errorf("the ledger has %q, want the person's call", lines)
	}
}
