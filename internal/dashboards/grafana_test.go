package dashboards

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the dashboards of deploy/grafana")

// TestFiles compares the files of deploy/grafana with the dashboards.
func TestFiles(t *testing.T) {
	const dir = "../../deploy/grafana"
	names := map[string]bool{}
	for _, d := range All() {
		want, err := d.JSON()
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, d.Name+".json")
		names[filepath.Base(file)] = true
		if *update {
			if err := os.WriteFile(file, want, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs from the code (%v); run this package's tests with -update and read the change", file, err)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) != len(names) {
		t.Errorf("%s has %d dashboards, want %d (%v)", dir, len(files), len(names), err)
	}
}
