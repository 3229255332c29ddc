package system

import (
	"os"
	"path/filepath"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/helve-dev/helve/internal/identity"
)

// KeysFile writes a file with the keys of several credentials of the tenant "default", and
// returns the keys in their order.
func KeysFile(t testing.TB, entries ...identity.Entry) (file string, keys []string) {
	t.Helper()
	for i := range entries {
		key, id, hash := identity.NewKey()
		entries[i].ID, entries[i].Hash, entries[i].Tenant = id, hash, "default"
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
