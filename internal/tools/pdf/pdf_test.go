package pdf

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"codeberg.org/go-pdf/fpdf"

	"github.com/helve-dev/helve/internal/lib/pdftext/pdftest"
	"github.com/helve-dev/helve/internal/ports/fonts"
	"github.com/helve-dev/helve/internal/ports/programs"
	"github.com/helve-dev/helve/internal/ports/programs/programstest"
	"github.com/helve-dev/helve/internal/ports/workspace"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestGolden(t *testing.T) { tooltest.Golden(t, Set) }

// bench is a workspace on disk with the real programs in it.
type bench struct {
	call tool.Call
	dir  string
}

// newBench returns a bench. Programs are searched in path, or in the test's own PATH if
// path is empty.
func newBench(t *testing.T, path string) *bench {
	t.Helper()
	data := t.TempDir()
	dir := filepath.Join(data, "workspaces", "t", "u")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	w, err := workspace.New(data)
	if err != nil {
		t.Fatal(err)
	}
	files, err := w.For("t", "u")
	if err != nil {
		t.Fatal(err)
	}
	run, err := programs.New(programs.Options{
		Launcher: programstest.Launcher(t),
		Dir:      func(string, string) (string, error) { return dir, nil },
		Path:     path,
	}).For("t", "u")
	if err != nil {
		t.Fatal(err)
	}
	return &bench{call: tool.Call{Tenant: "t", User: "u", Files: files, Programs: run, Fonts: fonts.New(nil)}, dir: dir}
}

func (b *bench) write(t *testing.T, name, data string) {
	t.Helper()
	full := filepath.Join(b.dir, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
}

// needPoppler skips a test if the programs are not installed.
func needPoppler(t *testing.T) {
	t.Helper()
	for _, name := range []string{"pdftotext", "pdfinfo", "pdfimages"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("SKIPPED: %s is not installed, so nothing here was tested; install the package poppler-utils", name)
		}
	}
}

// both runs a test with poppler, if installed, and without.
func both(t *testing.T, test func(*testing.T, *bench)) {
	t.Run("poppler", func(t *testing.T) {
		needPoppler(t)
		test(t, newBench(t, ""))
	})
	t.Run("parser", func(t *testing.T) { test(t, newBench(t, t.TempDir())) })
}

// packed returns a stream object with compressed data.
func packed(t *testing.T, dict string, data io.Reader) string {
	t.Helper()
	var w bytes.Buffer
	z := zlib.NewWriter(&w)
	if _, err := io.Copy(z, data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return pdftest.Stream("/Filter/FlateDecode"+dict, w.String())
}

// samePages returns a document of n pages that all draw the same.
func samePages(n int, content string) string {
	objects := []string{"<</Type/Catalog/Pages 2 0 R>>", "", pdftest.Helvetica, pdftest.Stream("", content)}
	var kids strings.Builder
	for range n {
		objects = append(objects, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F 3 0 R>>>>>>")
		fmt.Fprintf(&kids, "%d 0 R ", len(objects))
	}
	objects[1] = fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d>>", kids.String(), n)
	return pdftest.Raw(objects...)
}

// protected returns a document that requires a password, unless that is empty.
func protected(t *testing.T, password string) string {
	t.Helper()
	doc := fpdf.New("P", "pt", "A4", "")
	doc.SetProtection(fpdf.CnProtectPrint, password, "owner")
	doc.AddPage()
	doc.SetFont("Helvetica", "", 12)
	doc.Write(14, "hidden words")
	var w bytes.Buffer
	if err := doc.Output(&w); err != nil {
		t.Fatal(err)
	}
	return w.String()
}
