package docsection

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSync(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.md")
	const page = "# Page\n\n<!-- list -->\nold\n<!-- end -->\n\nlast\n"
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Sync(file, "list", "old", false); err != nil {
		t.Errorf("an equal section: %v", err)
	}
	if err := Sync(file, "list", "new", false); err == nil || !strings.Contains(err.Error(), "-update") {
		t.Errorf("another section: %v, want an error that names -update", err)
	}
	if err := Sync(file, "list", "new", true); err != nil {
		t.Errorf("update: %v", err)
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != strings.Replace(page, "old", "new", 1) {
		t.Errorf("after the update the page is %q (%v)", got, err)
	}
}

func TestSyncWithoutSection(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "page.md")
	if err := os.WriteFile(file, []byte("<!-- open -->\ntext\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ file, name string }{
		{filepath.Join(dir, "absent.md"), "list"}, {file, "list"}, {file, "open"},
	} {
		if err := Sync(c.file, c.name, "x", true); err == nil {
			t.Errorf("Sync(%s, %s) succeeded", filepath.Base(c.file), c.name)
		}
	}
}
