package vault

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	_, text := newKeys(t)
	for name, bad := range map[string]string{
		"nothing": "", "comments": "# none\n\n", "no prefix": strings.TrimPrefix(text, prefix), "short": text[:len(text)-2],
		"long": text + "AA", "another word": text + " x", "second line": text + "\nhunter2hunter2",
	} {
		k, err := Parse(bad)
		if err == nil || k != nil || strings.Contains(err.Error(), "hunter2") || len(text) > 30 && strings.Contains(err.Error(), text[20:]) {
			t.Errorf("%s: Parse = %v, %v", name, k, err)
		}
	}
	if k, err := Parse("# first\r\n" + text + "\r\n\n"); err != nil || k.String() != "1 master keys" {
		t.Errorf("Parse = %v, %v", k, err)
	}
}

func TestKeysArePrintedWithoutValues(t *testing.T) {
	t.Parallel()
	k, _ := newKeys(t)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		if got := fmt.Sprintf(verb, k); got != "1 master keys" {
			t.Errorf("%s prints %s", verb, got)
		}
	}
}

// A changed file is read when a key is missing, and at the next use; an invalid one is
// reported and leaves the keys in use.
func TestFileChanges(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "secrets.key")
	write := func(text string, mode os.FileMode) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	_, first := newKeys(t)
	write(first, 0o600)
	var reports []error
	k, err := OpenFile(path, func(err error) { reports = append(reports, err) })
	if err != nil {
		t.Fatal(err)
	}
	before, _ := k.Current(t.Context())
	other, second := newKeys(t)
	want, _ := other.Current(t.Context())
	write(second+"\n"+first, 0o600)
	sealed, err := Seal(t.Context(), other, here, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Unseal(t.Context(), k, here, nil, sealed); err == nil {
		t.Error("the file was read again within a second")
	}
	k.looked = time.Time{}
	if _, err := Unseal(t.Context(), k, here, nil, sealed); err != nil {
		t.Errorf("with the key in the changed file: %v", err)
	}
	if now, _ := k.Current(t.Context()); now != want || now == before {
		t.Errorf("Current = %s, want %s", now, want)
	}
	for i, change := range []func(){func() { write("nonsense", 0o600) }, func() { write(second, 0o644) }, func() { _ = os.Remove(path) }} {
		change()
		k.looked = time.Time{}
		if now, _ := k.Current(t.Context()); now != want || len(reports) != i+1 {
			t.Errorf("change %d: Current = %s, reports %v", i, now, reports)
		}
	}
}

func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys", "secrets.key")
	if w, err := Open(path, "", nil); err == nil || w != nil || !strings.Contains(err.Error(), path) {
		t.Errorf("Open of no file = %v, %v", w, err)
	}
	if err := Create(path); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := Create(path); err != nil {
		t.Fatal(err)
	}
	if again, _ := os.ReadFile(path); string(again) != string(text) {
		t.Error("Create replaced a key")
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode = %v, %v", info.Mode(), err)
	}
	t.Setenv("SERVICE_KEYS", string(text))
	for _, args := range [][2]string{{path, ""}, {"", "SERVICE_KEYS"}} {
		w, err := Open(args[0], args[1], nil)
		if err != nil {
			t.Fatal(err)
		}
		if id, err := w.Current(t.Context()); err != nil || len(id) != 12 {
			t.Errorf("Current = %q, %v", id, err)
		}
	}
	if _, err := Open("", "SERVICE_KEYS_MISSING", nil); err == nil {
		t.Error("a variable that is not set is accepted")
	}
	w, err := Open("", "", nil)
	if _, e := w.Current(t.Context()); err != nil || !errors.Is(e, ErrNoKey) {
		t.Errorf("Open of nothing = %v, %v", err, e)
	}
}
