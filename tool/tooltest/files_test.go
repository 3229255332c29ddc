package tooltest

import "testing"

func TestFilesInMemory(t *testing.T) { TestFiles(t, Files{}) }

func TestFilesKeys(t *testing.T) {
	files := Files{"logs/": "", "notes/a.txt": "x"}
	if entries, err := files.ReadDir("logs"); err != nil || len(entries) != 0 {
		t.Errorf("ReadDir of an empty directory = %v, %v, want none", entries, err)
	}
	contract{t, files}.put("notes/b.txt", "y")
	if got := files["notes/b.txt"]; got != "y" {
		t.Errorf("after Write the map holds %q, want %q", got, "y")
	}
}
