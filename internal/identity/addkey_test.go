package identity

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func namedEntry(name string) (key string, e Entry) {
	e = Entry{Tenant: "t1", Roles: []string{"user"}, Name: name}
	key, e.ID, e.Hash = NewKey()
	return key, e
}

func TestAddKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.yaml")
	first, e := namedEntry("first")
	if err := AddKey(path, e); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("a new file has mode %v, %v; want 0600", info.Mode(), err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	commented := "# our keys\n" + strings.TrimSuffix(string(text), "\n")
	if err := os.WriteFile(path, []byte(commented), 0o600); err != nil {
		t.Fatal(err)
	}
	second, e := namedEntry("second")
	if err := AddKey(path, e); err != nil {
		t.Fatal(err)
	}
	a, err := New(t.Context(), Options{KeysFile: path})
	if err != nil {
		t.Fatal(err)
	}
	for key, name := range map[string]string{first: "first", second: "second"} {
		if p, err := a.Identify(t.Context(), "Bearer "+key); err != nil || p.Name != name {
			t.Errorf("the key %s is %+v, %v", name, p, err)
		}
	}
	if text, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(text), "# our keys\n") {
		t.Errorf("the file is\n%s\n%v; want its comment kept", text, err)
	}
}

func TestAddKeyRefuses(t *testing.T) {
	_, taken := namedEntry("taken")
	for name, text := range map[string]string{
		"flow style":     `[{id: ` + taken.ID + `, hash: "` + taken.Hash + `", tenant: t1, roles: [user]}]`,
		"no list":        "keys: 1\n",
		"a broken entry": "- id: x\n",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "keys.yaml")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, e := namedEntry("new")
			if err := AddKey(path, e); err == nil || !strings.Contains(err.Error(), path) {
				t.Errorf("AddKey = %v, want an error that names the file", err)
			}
			if now, err := os.ReadFile(path); err != nil || string(now) != text {
				t.Errorf("the file is %q, %v; want it as it was", now, err)
			}
		})
	}
}
