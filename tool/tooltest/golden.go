package tooltest

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/helve-dev/helve/tool"
)

var update = flag.Bool("update", false, "rewrite the golden definitions in testdata")

// Updating reports whether the tests run with -update, which rewrites generated files.
func Updating() bool { return *update }

// Golden compares each definition of set with testdata/<name>.json (dots of the name as
// underscores), so that a change of a definition shows up in review. A definition
// without a file fails, and so does a JSON file in testdata that belongs to no tool.
// `go test -update` writes the files.
func Golden(t *testing.T, set *tool.Set) {
	t.Helper()
	const dir = "testdata"
	if *update {
		if err := writeGoldens(dir, set); err != nil {
			t.Fatal(err)
		}
	}
	for _, problem := range brokenGoldens(dir, set) {
		t.Error(problem)
	}
}

func goldenName(toolName string) string { return strings.ReplaceAll(toolName, ".", "_") + ".json" }

// golden encodes a definition for its file: indented, so that a diff shows the changed
// line.
func golden(d *tool.Definition) ([]byte, error) {
	var w bytes.Buffer
	enc := json.NewEncoder(&w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(d)
	return w.Bytes(), err
}

func writeGoldens(dir string, set *tool.Set) error {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	for _, tl := range set.Tools() {
		text, err := golden(&tl.Definition)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, goldenName(tl.Name)), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func brokenGoldens(dir string, set *tool.Set) []string {
	var broken []string
	known := map[string]bool{}
	for _, tl := range set.Tools() {
		name := goldenName(tl.Name)
		known[name] = true
		got, err := golden(&tl.Definition)
		if err != nil {
			broken = append(broken, fmt.Sprintf("%s: %v", tl.Name, err))
			continue
		}
		want, err := os.ReadFile(filepath.Join(dir, name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			broken = append(broken, fmt.Sprintf("%s has no golden definition %s/%s; write it with go test -update", tl.Name, dir, name))
		case err != nil:
			broken = append(broken, err.Error())
		default:
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				broken = append(broken, fmt.Sprintf("the definition of %s changed (-golden +now); if it is meant, go test -update:\n%s", tl.Name, diff))
			}
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		broken = append(broken, err.Error())
	}
	for _, file := range files {
		if !known[filepath.Base(file)] {
			broken = append(broken, fmt.Sprintf("%s belongs to no tool of the set; delete it", file))
		}
	}
	return broken
}
