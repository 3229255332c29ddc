package contextfile

import (
	"os"
	"path/filepath"
	"testing"
)

// TestRead: a context is found by its path and by its name, and its files are those that the
// client library would open.
func TestRead(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("HELVE_TEST_SECRETS", "/run/secrets")
	file := filepath.Join(home, ".config", "nats", "context", "prod.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	const text = `{"url": "tls://nats:4222", "creds": "$HELVE_TEST_SECRETS/user.creds", "nkey": "~/user.nk", "ca": "/etc/ca.crt"}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"prod", file} {
		s, err := Read(name)
		if err != nil || s.URL != "tls://nats:4222" || s.Creds != "/run/secrets/user.creds" || s.NKey != filepath.Join(home, "user.nk") ||
			s.CA != "/etc/ca.crt" || s.Cert != "" {
			t.Errorf("Read(%q) = %+v, %v", name, s, err)
		}
	}
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	if s, err := Read("prod"); err != nil || s.CA != "/etc/ca.crt" {
		t.Errorf("Read below XDG_CONFIG_HOME = %+v, %v", s, err)
	}
	if _, err := Read("absent"); err == nil {
		t.Error("a context that is not there was read")
	}
}
