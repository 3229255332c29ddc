package keyfile

import (
	"crypto/ed25519"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func testID(key ed25519.PublicKey) string {
	return "k" + string('a'+rune(key[0]%26)) + string('a'+rune(key[1]%26))
}

// TestRotate: the new key signs, and the old one verifies until its file is removed.
func TestRotate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, err := LoadSet(dir, "token")
	if err != nil || len(first.Old) != 0 {
		t.Fatalf("LoadSet = %d old keys, %v, want none", len(first.Old), err)
	}
	second, err := Rotate(dir, "token", testID)
	if err != nil {
		t.Fatal(err)
	}
	if second.Signing.Equal(first.Signing) || len(second.Old) != 1 || !second.Old[0].Equal(first.Public()) {
		t.Errorf("after the rotation %d old keys verify, want the first one beside a new key", len(second.Old))
	}
	again, err := LoadSet(dir, "token")
	if err != nil || !again.Signing.Equal(second.Signing) || len(again.Old) != 1 {
		t.Errorf("LoadSet = %d old keys, %v, want what Rotate returned", len(again.Old), err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "token.*.pem"))
	if err != nil || len(files) != 1 {
		t.Fatalf("old keys lie in %q, %v, want one file", files, err)
	}
	if text, err := os.ReadFile(files[0]); err != nil || strings.Contains(string(text), "PRIVATE") {
		t.Errorf("the old key's file: %v, want its public half alone", err)
	}
	if err := os.Remove(files[0]); err != nil {
		t.Fatal(err)
	}
	if last, err := LoadSet(dir, "token"); err != nil || len(last.Old) != 0 {
		t.Errorf("LoadSet = %d old keys, %v, want none once the file is removed", len(last.Old), err)
	}
	if other, err := LoadSet(dir, "seal"); err != nil || len(other.Old) != 0 {
		t.Errorf("the keys of seals: %d old, %v, want none of another purpose", len(other.Old), err)
	}
}

func TestOldKeysMayBePrivate(t *testing.T) {
	t.Parallel()
	dir, elsewhere := t.TempDir(), t.TempDir()
	old, err := Load(elsewhere, "token")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(elsewhere, "token.pem"), filepath.Join(dir, "token.2025.pem")); err != nil {
		t.Fatal(err)
	}
	set, err := LoadSet(dir, "token")
	if err != nil || len(set.Old) != 1 || !set.Old[0].Equal(old.Public()) {
		t.Fatalf("LoadSet = %d old keys, %v, want the private one's public half", len(set.Old), err)
	}
	if err := os.WriteFile(filepath.Join(dir, "token.bad.pem"), []byte("-----BEGIN PUBLIC KEY-----"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadSet(dir, "token"); err == nil || !strings.Contains(err.Error(), "token.bad.pem") {
		t.Errorf("LoadSet = %v, want an error that names the damaged file", err)
	}
}
