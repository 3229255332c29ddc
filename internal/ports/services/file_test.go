package services

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	const secret = "hunter2hunter2"
	for name, tt := range map[string]struct {
		text string
		mode os.FileMode
		want string
	}{
		"world":  {one(secret), 0o604, "run chmod 600"},
		"broken": {"- " + secret, 0o600, "must be a mapping"},
		"large":  {one(secret) + strings.Repeat("#\n", maxFile), 0o600, "larger than"},
	} {
		if runtime.GOOS == "windows" && tt.mode != 0o600 {
			continue
		}
		path := filepath.Join(t.TempDir(), "services.yaml")
		write(t, path, tt.text, 0)
		if err := os.Chmod(path, tt.mode); err != nil {
			t.Fatal(err)
		}
		c, err := Open(path)
		if err == nil || c != nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), path) ||
			strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v, %v, want an error with %q", name, c, err, tt.want)
		}
	}
}

func TestOpenWhatIsNoFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for path, want := range map[string]string{
		dir:                        "it is not a file",
		filepath.Join(dir, "none"): "it cannot be read",
	} {
		if c, err := Open(path); err == nil || c != nil || !strings.Contains(err.Error(), want) || strings.Count(err.Error(), path) != 1 {
			t.Errorf("Open(%s) = %v, %v, want an error with %q", path, c, err, want)
		}
	}
}

// A read-only file, as mounted secrets are, and a link to it will do.
func TestOpenReadOnlyByLink(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "services.yaml")
	write(t, path, one("v"), 0)
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, path+".link"); err != nil {
		t.Fatal(err)
	}
	c, err := Open(path + ".link")
	if err != nil {
		t.Fatal(err)
	}
	if got := labels(t, c, "default", "", "s"); got != "default:v;" {
		t.Errorf("Entries = %s", got)
	}
}
