package documents

import (
	"archive/zip"
	"bytes"
	"io"
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/ports/workspace"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestGolden(t *testing.T) { tooltest.Golden(t, Set) }

// disk returns a workspace on disk that contains the given files.
func disk(t *testing.T, contents map[string]string) tool.Files {
	t.Helper()
	w, err := workspace.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	files, err := w.For("acme", "u1")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range contents {
		if err := files.MkdirAll(path.Dir(name)); err != nil {
			t.Fatal(err)
		}
		if _, err := files.Write(name, strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// entry is a file of a zip file.
type entry struct {
	name, text string
	mode       fs.FileMode
	flags      uint16
}

func zipped(tb testing.TB, entries ...entry) string {
	tb.Helper()
	var w bytes.Buffer
	z := zip.NewWriter(&w)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Flags: e.flags}
		if e.mode != 0 {
			h.SetMode(e.mode)
		}
		f, err := z.CreateHeader(h)
		if err == nil && !strings.HasSuffix(e.name, "/") {
			_, err = io.WriteString(f, e.text)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		tb.Fatal(err)
	}
	return w.String()
}

// contents returns the files of a workspace below a directory.
func contents(t *testing.T, files tool.Files, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := files.Walk(dir, func(p string, e tool.Entry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		f, err := e.Open()
		if err != nil {
			return err
		}
		defer f.Close()
		text, err := io.ReadAll(f)
		found[p] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
