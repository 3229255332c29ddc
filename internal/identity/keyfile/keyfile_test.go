package keyfile

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func load(t *testing.T, dir string) ed25519.PrivateKey {
	t.Helper()
	key, err := Load(dir, "confirm")
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestLoadMakesAKeyOnce(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data", "keys")
	key := load(t, dir)
	if !load(t, dir).Equal(key) {
		t.Error("the second Load returns another key")
	}
	other, err := Load(dir, "audit")
	if err != nil || other.Equal(key) {
		t.Errorf("Load of another name = the same key %v, %v, want another", other.Equal(key), err)
	}
	text := []byte("a message")
	if !ed25519.Verify(key.Public().(ed25519.PublicKey), text, ed25519.Sign(key, text)) {
		t.Error("the key does not sign")
	}
	for name, want := range map[string]fs.FileMode{".": fs.ModeDir | 0o700, "confirm.pem": 0o600} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode() != want {
			t.Errorf("mode of %s: %v, %v, want %v", name, info.Mode(), err, want)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("the directory holds %v, %v, want the two keys only", entries, err)
	}
}

func TestLoadAtOnce(t *testing.T) {
	t.Parallel()
	for range 10 {
		dir := filepath.Join(t.TempDir(), "keys")
		keys := make([]ed25519.PrivateKey, 8)
		var wg sync.WaitGroup
		for i := range keys {
			wg.Go(func() {
				var err error
				if keys[i], err = Load(dir, "confirm"); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		for _, key := range keys {
			if !key.Equal(keys[0]) {
				t.Fatal("those who start at once end with different keys")
			}
		}
	}
}

// block is a PEM block of any key.
func block(t *testing.T, kind string, key any) string {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	ours := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	good := block(t, "PRIVATE KEY", ours)
	for what, tt := range map[string]struct {
		text string
		mode fs.FileMode
		want string
	}{
		"readable by everybody": {good, 0o604, "run chmod 600"},
		"writable by others":    {good, 0o602, "run chmod 600"},
		"empty":                 {"", 0o600, "one PEM block"},
		"not PEM":               {"secret", 0o600, "one PEM block"},
		"cut":                   {good[:len(good)-30], 0o600, "one PEM block"},
		"two keys":              {good + good, 0o600, "nothing behind it"},
		"another type":          {block(t, "PRIVATE KEY", curve), 0o600, "only Ed25519"},
		"another format":        {strings.ReplaceAll(good, "PRIVATE", "OPENSSH PRIVATE"), 0o600, "PKCS#8"},
		"a public key":          {string(PublicPEM(ours.Public().(ed25519.PublicKey))), 0o600, `a block "PUBLIC KEY"`},
		"damaged":               {strings.Replace(good, "MC4C", "MC4D", 1), 0o600, "damaged"},
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "confirm.pem")
		if err := os.WriteFile(file, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, tt.mode); err != nil {
			t.Fatal(err)
		}
		key, err := Load(dir, "confirm")
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), file) || key != nil {
			t.Errorf("%s: Load = %v, want an error that names the file and says %q", what, err, tt.want)
		} else if len(tt.text) > 40 && strings.Contains(err.Error(), tt.text[30:40]) {
			t.Errorf("%s: the error %q shows the key", what, err)
		}
		if now, err := os.ReadFile(file); err != nil || string(now) != tt.text {
			t.Errorf("%s: the file was changed", what)
		}
	}
}

func TestLoadWhereItCannot(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"", "..", "a/b", "../a", "a.b", strings.Repeat("a", 65)} {
		if key, err := Load(dir, name); err == nil || key != nil {
			t.Errorf("Load took the name %q", name)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "confirm.pem"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(dir, "confirm"); err == nil || !strings.Contains(err.Error(), "is not a file") {
		t.Errorf("Load of a directory: %v", err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if key, err := Load(file, "confirm"); err == nil || key != nil {
		t.Errorf("Load below a file: %v", err)
	}
}
