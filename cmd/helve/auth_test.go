package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/cli"
	"github.com/helve-dev/helve/internal/identity"
)

func authKey(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	code = cli.Run(t.Context(), append([]string{"auth", "key"}, args...), strings.NewReader(""), &out, &errs, authCommand())
	return code, out.String(), errs.String()
}

// TestAuthKey puts what the command prints into a key file, and the key is
// taken.
func TestAuthKey(t *testing.T) {
	code, out, errs := authKey(t, "--tenant", "t1", "--user", "ada", "--agent", "a1", "--role", "agent,user", "--role", "auditor", "--name",
		"ada: laptop", "--expires", "720h")
	_, rest, _ := strings.Cut(out, "once:\n\n")
	key, entry, found := strings.Cut(rest, "\n\nAdd to auth.keys_file:\n\n")
	if code != 0 || errs != "" || !found {
		t.Fatalf("auth key = %d, %q, %q", code, out, errs)
	}
	p, err := identify(t, key, entry)
	if err != nil || p.Tenant != "t1" || p.User != "ada" || p.Agent != "a1" || p.Name != "ada: laptop" || len(p.Roles) != 3 ||
		!p.Has(identity.Auditor) {
		t.Errorf("the key %q with the entry\n%s\nis %+v, %v", key, entry, p, err)
	}
}

func TestAuthKeyAdd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.yaml")
	code, out, errs := authKey(t, "--role", "user", "--user", "ada", "--add", path)
	_, rest, _ := strings.Cut(out, "once:\n\n")
	key, told, _ := strings.Cut(rest, "\n\n")
	entries, err := os.ReadFile(path)
	if code != 0 || errs != "" || err != nil || !strings.Contains(told, path) {
		t.Fatalf("auth key --add = %d, %q, %q, %v", code, out, errs, err)
	}
	if p, err := identify(t, key, string(entries)); err != nil || p.User != "ada" {
		t.Errorf("the key with the file\n%s\nis %+v, %v", entries, p, err)
	}
}

func TestAuthKeyJSON(t *testing.T) {
	code, out, _ := authKey(t, "--role", "agent", "--json")
	var made struct {
		Key   string          `json:"key"`
		Entry json.RawMessage `json:"entry"`
	}
	if err := json.Unmarshal([]byte(out), &made); code != 0 || err != nil || strings.Count(out, "\n") != 1 {
		t.Fatalf("auth key --json = %d, %q, %v, want one line of JSON", code, out, err)
	}
	p, err := identify(t, made.Key, "["+string(made.Entry)+"]") // JSON is YAML too
	if err != nil || p.Tenant != "default" || p.User != "" || !strings.HasPrefix(p.Name, "key ") {
		t.Errorf("the key is %+v, %v", p, err)
	}
}

func identify(t *testing.T, key, entries string) (identity.Principal, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "keys.yaml")
	if err := os.WriteFile(path, []byte(entries), 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := identity.New(t.Context(), identity.Options{KeysFile: path, Now: func() time.Time { return time.Now().Add(719 * time.Hour) }})
	if err != nil {
		t.Fatal(err)
	}
	return a.Identify(t.Context(), "Bearer "+key)
}

func TestAuthKeyUsage(t *testing.T) {
	for want, args := range map[string][]string{
		"roles is empty":       {},
		`roles has "root"`:     {"--role", "root"},
		"tenant must be":       {"--role", "agent", "--tenant", "a.b"},
		"user must be":         {"--role", "agent", "--user", "a b"},
		"a minute or more":     {"--role", "agent", "--expires", "-1h"},
		"unknown command":      {"--role", "agent", "more"},
		"invalid argument":     {"--role", "agent", "--expires", "soon"},
		"name must be at most": {"--role", "agent", "--name", strings.Repeat("x", 81)},
	} {
		if code, out, errs := authKey(t, args...); code != 2 || out != "" || !strings.Contains(errs, want) {
			t.Errorf("auth key %q = %d, %q, %q, want 2 and %q", args, code, out, errs, want)
		}
	}
}
