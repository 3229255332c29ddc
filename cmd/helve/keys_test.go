package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/cli"
	"github.com/helve-dev/helve/internal/identity/keyfile"
	"github.com/helve-dev/helve/internal/identity/token"
)

func runKeys(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	code = cli.Run(t.Context(), append([]string{"keys"}, args...), strings.NewReader(""), &out, &errs, keysCommand())
	return code, out.String(), errs.String()
}

// TestKeys: keys that are made ahead are those a dispatcher signs with, and a rotation
// keeps the old one for verifying.
func TestKeys(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	code, made, errs := runKeys(t, "make", "--dir", dir)
	if code != 0 || errs != "" || strings.Contains(made, "PRIVATE") {
		t.Fatalf("keys make = %d, %q, %q", code, made, errs)
	}
	before := map[string]keyfile.Set{}
	for _, purpose := range purposes() {
		set, err := keyfile.LoadSet(dir, purpose)
		if err != nil {
			t.Fatal(err)
		}
		before[purpose] = set
		for _, want := range []string{token.KeyID(set.Public()), string(keyfile.PublicPEM(set.Public())), filepath.Join(dir, purpose+".pem")} {
			if !strings.Contains(made, want) {
				t.Errorf("keys make printed %q, want %q in it", made, want)
			}
		}
		if info, err := os.Stat(filepath.Join(dir, purpose+".pem")); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the key of %s: %v, %v, want mode 0600", purpose, info.Mode(), err)
		}
	}
	if _, again, _ := runKeys(t, "make", "--dir", dir); again != made {
		t.Errorf("keys make printed %q the second time, want the same keys", again)
	}
	code, out, errs := runKeys(t, "rotate", "token", "--dir", dir)
	set, err := keyfile.LoadSet(dir, "token")
	old := before["token"].Public()
	if code != 0 || err != nil || len(set.Old) != 1 || !set.Old[0].Equal(old) || set.Public().Equal(old) ||
		!strings.Contains(out, "key "+token.KeyID(old)+" verifies") {
		t.Errorf("keys rotate = %d, %q, %q; %d old keys, %v", code, out, errs, len(set.Old), err)
	}
	if seal, err := keyfile.LoadSet(dir, "seal"); err != nil || !seal.Public().Equal(before["seal"].Public()) {
		t.Errorf("rotating the key of tokens changed that of seals: %v", err)
	}
	for _, args := range [][]string{{"rotate", "--dir", dir}, {"rotate", "other", "--dir", dir}, {"rotate", "token", "--dir", t.TempDir()}} {
		if code, _, errs := runKeys(t, args...); code != 2 || errs == "" {
			t.Errorf("keys %v = %d, %q, want a usage error", args, code, errs)
		}
	}
}
