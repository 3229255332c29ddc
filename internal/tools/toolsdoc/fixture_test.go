package toolsdoc

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// texts holds the text files of the workspace in which examples run:
//
//	notes.txt, docs/readme.md, docs/old.txt   text
//	report.csv                                name, amount, date
//	data.json                                 a small object
//	picture.png                               320 by 200 pixels
//	paper.pdf                                 two pages
//	budget.xlsx                               a workbook of one sheet
//	team.vcf                                  two contacts
//	photos.zip                                two text files, one in a directory
//	tone.wav                                  three seconds of 440 Hz
//	repo/                                     a git repository of one commit, with README.md
//	                                          changed and new.txt untracked
var texts = map[string]string{
	"notes.txt":      "Buy oat milk.\nCall Grace about the compiler.\nThe meeting is on Friday at 10:00.\n",
	"report.csv":     "name,amount,date\nAda,120.50,2026-01-05\nGrace,80,2026-01-12\n\"Hopper, G.\",99.90,2026-02-01\n",
	"data.json":      "{\n  \"name\": \"Helve\",\n  \"stars\": 42,\n  \"tags\": [\"tools\", \"go\"],\n  \"owner\": {\"city\": \"Oslo\"}\n}\n",
	"docs/readme.md": "# Handbook\n\nHow we work, in *short*.\n",
	"team.vcf": "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Ada Lovelace\r\nEMAIL:ada@example.org\r\nEND:VCARD\r\nBEGIN:VCARD\r\nVERSION:4.0\r\n" +
		"FN:Grace Hopper\r\nEND:VCARD\r\n",
	"docs/old.txt": "An old text that nobody needs.\n",
}

// fixed is the creation time of every file in the workspace.
var fixed = time.Date(2026, time.January, 1, 9, 0, 0, 0, time.UTC)

// build creates the fixture in an empty directory.
func build(t *testing.T, dir string) {
	t.Helper()
	for name, text := range texts {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), []byte(text))
	}
	write(t, filepath.Join(dir, "picture.png"), picture(t))
	write(t, filepath.Join(dir, "paper.pdf"), paper("The first page of the paper.", "The second page, and its end."))
	write(t, filepath.Join(dir, "tone.wav"), tone())
	write(t, filepath.Join(dir, "budget.xlsx"), zipFile(t,
		"xl/workbook.xml", `<workbook xmlns:r="r"><sheets><sheet name="2026" r:id="a"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="a" Target="a.xml"/></Relationships>`,
		"xl/styles.xml", `<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>`,
		"xl/a.xml", `<worksheet><sheetData><row r="1"><c t="inlineStr"><is><t>Rent</t></is></c><c s="1"><v>46023</v></c><c><v>1250</v></c></row>`+
			`<row r="2"><c t="inlineStr"><is><t>Food</t></is></c><c s="1"><v>46030</v></c><c><v>310.5</v></c></row>`+
			`<row r="4"><c t="inlineStr"><is><t>Total</t></is></c><c r="C4"><f>SUM(C1:C2)</f><v>1560.5</v></c></row></sheetData></worksheet>`))
	write(t, filepath.Join(dir, "photos.zip"), zipFile(t, "readme.txt", "Two days in Oslo.\n", "oslo/places.txt", "Harbour, opera, park.\n"))
}

// zipFile returns a zip file; names and contents alternate.
func zipFile(t *testing.T, files ...string) []byte {
	t.Helper()
	var w bytes.Buffer
	z := zip.NewWriter(&w)
	for i := 0; i < len(files); i += 2 {
		f, err := z.CreateHeader(&zip.FileHeader{Name: files[i], Method: zip.Deflate, Modified: fixed})
		if err == nil {
			_, err = f.Write([]byte(files[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return w.Bytes()
}

func write(t *testing.T, file string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// settle sets fixed modes and times for every file in dir.
func settle(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if d.IsDir() {
			mode = 0o755
		}
		if err := os.Chmod(file, mode); err != nil {
			return err
		}
		return os.Chtimes(file, fixed, fixed)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// repository creates the git repository; git must be installed.
func repository(t *testing.T, dir string) {
	t.Helper()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = dir
		const who, when = "Ada Lovelace", "2026-01-01T09:00:00Z"
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_NAME="+who, "GIT_AUTHOR_EMAIL=ada@example.org", "GIT_AUTHOR_DATE="+when,
			"GIT_COMMITTER_NAME="+who, "GIT_COMMITTER_EMAIL=ada@example.org", "GIT_COMMITTER_DATE="+when)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	write(t, filepath.Join(dir, "README.md"), []byte("# Project\n\nA first line.\n"))
	write(t, filepath.Join(dir, "main.go"), []byte("package main\n\nfunc main() {}\n"))
	git("-c", "init.defaultBranch=main", "init", "--quiet", "--template=")
	git("add", ".")
	git("commit", "--quiet", "--message=Begin the project")
	write(t, filepath.Join(dir, "README.md"), []byte("# Project\n\nA first line.\nA second line.\n"))
	write(t, filepath.Join(dir, "new.txt"), []byte("Not yet added.\n"))
}

func picture(t *testing.T) []byte {
	t.Helper()
	const width, height = 320, 200
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			img.Set(x, y, color.RGBA{uint8(x * 255 / width), uint8(y * 255 / height), 120, 255})
		}
	}
	var w bytes.Buffer
	if err := png.Encode(&w, img); err != nil {
		t.Fatal(err)
	}
	return w.Bytes()
}

// tone returns a WAV file: one channel of 16 bits at 16 kHz.
func tone() []byte {
	const rate, seconds, pitch, loud = 16_000, 3, 440, 8000
	const size = rate * seconds * 2
	w := []byte("RIFF")
	w = binary.LittleEndian.AppendUint32(w, 36+size)
	w = append(w, "WAVEfmt "...)
	w = binary.LittleEndian.AppendUint32(w, 16)
	for _, v := range []uint16{1, 1, rate, 0, rate * 2, 0, 2, 16} { // the rates have 32 bits
		w = binary.LittleEndian.AppendUint16(w, v)
	}
	w = append(w, "data"...)
	w = binary.LittleEndian.AppendUint32(w, size)
	for i := range rate * seconds {
		v := loud * math.Sin(2*math.Pi*pitch*float64(i)/rate)
		w = binary.LittleEndian.AppendUint16(w, uint16(int16(v)))
	}
	return w
}

// paper returns a PDF file with a page for each text.
func paper(pages ...string) []byte {
	var kids []string
	for i := range pages {
		kids = append(kids, fmt.Sprintf("%d 0 R", 5+2*i))
	}
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", strings.Join(kids, " "), len(pages)),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
		"<< /Title (A paper) /Author (Ada Lovelace) /CreationDate (D:20260101090000Z) >>",
	}
	for i, text := range pages {
		stream := fmt.Sprintf("BT /F1 18 Tf 72 720 Td (%s) Tj ET", text)
		objects = append(objects,
			fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents %d 0 R >>", 6+2*i),
			fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(stream), stream))
	}
	w := []byte("%PDF-1.4\n")
	table := fmt.Appendf(nil, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for i, object := range objects {
		table = fmt.Appendf(table, "%010d 00000 n \n", len(w))
		w = fmt.Appendf(w, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start := len(w)
	return fmt.Appendf(append(w, table...), "trailer\n<< /Size %d /Root 1 0 R /Info 4 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, start)
}
