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

	"github.com/helve-dev/helve/internal/backend/fonts"
	"github.com/helve-dev/helve/internal/backend/programs"
	"github.com/helve-dev/helve/internal/backend/programs/programstest"
	"github.com/helve-dev/helve/internal/backend/workspace"
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
	run, err := programs.New(programs.Options{Launcher: programstest.Launcher(t), Dir: func(string, string) (string, error) { return dir, nil }, Path: path}).For("t", "u")
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

// raw returns a document of the given objects, numbered from 1; the first is the
// catalogue.
func raw(objects ...string) string {
	var w strings.Builder
	w.WriteString("%PDF-1.7\n")
	var offsets []int
	for i, o := range objects {
		offsets = append(offsets, w.Len())
		fmt.Fprintf(&w, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	at := w.Len()
	fmt.Fprintf(&w, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, o := range offsets {
		fmt.Fprintf(&w, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&w, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, at)
	return w.String()
}

// stream returns a stream object.
func stream(dict, data string) string {
	return fmt.Sprintf("<</Length %d%s>>\nstream\n%s\nendstream", len(data), dict, data)
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
	return stream("/Filter/FlateDecode"+dict, w.String())
}

const helvetica = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"

// onePage returns a document of one page that draws content.
func onePage(content string) string {
	return raw("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>", content, helvetica)
}

// manyPages returns a document of n pages, each with its number on it.
func manyPages(n int) string {
	objects := []string{"<</Type/Catalog/Pages 2 0 R>>", "", helvetica}
	var kids strings.Builder
	for i := range n {
		at := len(objects) + 1
		fmt.Fprintf(&kids, "%d 0 R ", at)
		objects = append(objects, fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents %d 0 R/Resources<</Font<</F 3 0 R>>>>>>", at+1),
			stream("", fmt.Sprintf("BT /F 12 Tf 72 700 Td (This is page %d) Tj ET", i+1)))
	}
	objects[1] = fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d>>", kids.String(), n)
	return raw(objects...)
}

// samePages returns a document of n pages that all draw the same.
func samePages(n int, content string) string {
	objects := []string{"<</Type/Catalog/Pages 2 0 R>>", "", helvetica, stream("", content)}
	var kids strings.Builder
	for range n {
		objects = append(objects, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F 3 0 R>>>>>>")
		fmt.Fprintf(&kids, "%d 0 R ", len(objects))
	}
	objects[1] = fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d>>", kids.String(), n)
	return raw(objects...)
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
