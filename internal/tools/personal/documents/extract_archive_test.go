package documents

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func extracted(t *testing.T, files tool.Files, args string) (res extractArchiveResult, err error) {
	t.Helper()
	var tl *tool.Tool
	for _, each := range Set.Tools() {
		if each.Name == "extract_archive" {
			tl = each
		}
	}
	out, err := tooltest.Play(t.Context(), tl, tool.Call{Files: files}, args)
	if err == nil {
		err = json.Unmarshal(out.Value, &res)
	}
	return res, err
}

func TestExtractArchive(t *testing.T) {
	files := disk(t, map[string]string{
		"in/a.tar.gz": "", "taken/a.txt": "old", "taken/b": "old", "file": "x", "no.zip": "text",
		"in/a.zip":   zipped(t, entry{name: "d/"}, entry{name: "d/a.txt", text: "hello"}, entry{name: "b", text: "bye", mode: 0o755}),
		"locked.zip": zipped(t, entry{name: "a", text: "x", flags: 1}),
	})
	tooltest.Run(t, Set, "extract_archive", tool.Call{Files: files}, []tooltest.Case{
		{
			Name: "beside the archive", Args: `{"path":"in/a.zip"}`,
			Want: `{"path":"in/a.zip","destination":"in/a","format":"zip","files":["in/a/d/a.txt","in/a/b"],"count":2,"size":8,"skippedCount":0,"truncated":false}`,
		},
		{
			Name:    "again",
			Args:    `{"path":"in/a.zip"}`,
			Fails:   tool.ValidationError,
			Message: "2 names are taken, such as in/a/b, in/a/d/a.txt; set overwrite",
		},
		{
			Name: "overwrite a part", Args: `{"path":"in/a.zip","destination":"taken","entries":["b"],"overwrite":true}`,
			Want: `{"path":"in/a.zip","destination":"taken","format":"zip","files":["taken/b"],"count":1,"size":3,"skippedCount":0,"truncated":false}`,
		},
		{
			Name: "a directory of it", Args: `{"path":"in/a.zip","to":"part","entries":["d/"]}`,
			Want: `{"path":"in/a.zip","destination":"part","format":"zip","files":["part/d/a.txt"],"count":1,"size":5,"skippedCount":0,"truncated":false}`,
		},
		{Name: "no such entry", Args: `{"path":"in/a.zip","to":"c","entries":["z"]}`, Fails: tool.ValidationError, Message: "no entry z"},
		{Name: "onto a file", Args: `{"path":"in/a.zip","to":"file"}`, Fails: tool.ValidationError, Message: "file is a file"},
		{Name: "out of the workspace", Args: `{"path":"in/a.zip","to":"../x"}`, Fails: tool.PathNotAllowed},
		{Name: "encrypted", Args: `{"path":"locked.zip"}`, Fails: tool.Unsupported, Message: "encrypted"},
		{Name: "no archive", Args: `{"path":"no.zip"}`, Fails: tool.Unsupported, Message: "no archive"},
		{Name: "missing", Args: `{"path":"b.zip"}`, Fails: tool.FileNotFound},
		{Name: "no path", Args: `{}`, Fails: tool.ValidationError, Message: "path"},
	})
	want := map[string]string{"taken/a.txt": "old", "taken/b": "bye"}
	if diff := cmp.Diff(want, contents(t, files, "taken")); diff != "" {
		t.Errorf("taken (-want +got):\n%s", diff)
	}
}

// TestExtractHostile: only what is safe is written, and the rest is named.
func TestExtractHostile(t *testing.T) {
	files := disk(t, map[string]string{"a.zip": zipped(t,
		entry{name: "../up", text: "x"}, entry{name: "/abs", text: "x"}, entry{name: `C:\x`, text: "x"}, entry{name: "a\nb", text: "x"},
		entry{name: "a\u202eb", text: "x"},
		entry{name: "link", text: "../../secret", mode: fs.ModeSymlink | 0o777}, entry{name: "link/in", text: "x"},
		entry{name: "good", text: "1"}, entry{name: "good", text: "2"}, entry{name: "good/below", text: "x"}, entry{name: "./good/", text: ""},
		entry{name: `dir\file`, text: "3"}, entry{name: ".helve-tmp-x", text: "x"}, entry{name: "secret", text: "x", flags: 1},
	)})
	res, err := extracted(t, files, `{"path":"a.zip","destination":"out"}`)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"out/good": "1", "out/dir/file": "3", "out/link/in": "x"}
	if diff := cmp.Diff(want, contents(t, files, "out")); diff != "" {
		t.Errorf("written (-want +got):\n%s", diff)
	}
	if res.SkippedAll != 11 || len(res.Skipped) != 11 || res.Count != 3 {
		t.Errorf("result: %+v", res)
	}
	if all := contents(t, files, "."); len(all) != 4 {
		t.Errorf("the workspace has %v", all)
	}
}

// deflatedZeros returns compressed zeros with the checksum of what they unpack to.
func deflatedZeros(t *testing.T, size int) ([]byte, uint32) {
	t.Helper()
	zeros := make([]byte, size)
	var w bytes.Buffer
	z, err := flate.NewWriter(&w, flate.BestSpeed)
	if err == nil {
		_, err = z.Write(zeros)
	}
	if err = errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return w.Bytes(), crc32.ChecksumIEEE(zeros)
}

// TestExtractBombs: what unpacks to more than is allowed, or is damaged, leaves nothing behind.
func TestExtractBombs(t *testing.T) {
	const size = 16 << 20
	zeros, sum := deflatedZeros(t, size)
	var many []entry
	for i := range maxExtracted + 1 {
		many = append(many, entry{name: fmt.Sprintf("f%d", i)})
	}
	var bomb bytes.Buffer
	z := zip.NewWriter(&bomb)
	for i := range maxExtractedSize/size + 1 {
		f, err := z.CreateRaw(&zip.FileHeader{
			Name:               fmt.Sprint(i),
			Method:             zip.Deflate,
			CRC32:              sum,
			CompressedSize64:   uint64(len(zeros)),
			UncompressedSize64: size,
		})
		if err == nil {
			_, err = f.Write(zeros)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	lying := zipped(t, entry{name: "good", text: "x"}, entry{name: "bad", text: strings.Repeat("y", 1000)})
	lying = strings.Replace(lying, "bad", "bud", 1) // the local header, whose name is not compared
	at := strings.LastIndex(lying, "PK\x01\x02")
	lying = lying[:at+24] + "\x01\x00\x00\x00" + lying[at+28:] // the size that the directory claims
	for name, tt := range map[string]struct {
		data string
		kind tool.Kind
		want string
	}{
		"bytes":   {bomb.String(), tool.FileTooLarge, "Nothing was extracted"},
		"entries": {zipped(t, many...), tool.FileTooLarge, "Nothing was extracted"},
		"lying":   {lying, tool.ValidationError, "cannot be unpacked"},
	} {
		files := disk(t, map[string]string{"a.zip": tt.data})
		_, err := extracted(t, files, `{"path":"a.zip","destination":"out"}`)
		if e := tool.AsError(err); e == nil || e.Kind != tt.kind || !strings.Contains(e.Msg, tt.want) {
			t.Errorf("%s: %v, want %s with %q", name, err, tt.kind, tt.want)
		}
		if all := contents(t, files, "."); len(all) != 1 {
			t.Errorf("%s: %d files are left", name, len(all))
		}
	}
	nested := disk(t, map[string]string{"a.zip": zipped(t, entry{name: "b.zip", text: bomb.String()})})
	if res, err := extracted(t, nested, `{"path":"a.zip"}`); err != nil || res.Count != 1 {
		t.Errorf("an archive in an archive: %+v, %v", res, err)
	}
	in := &budget{strings.NewReader(strings.Repeat("x", 100)), 99} // what an archive claims is not what it unpacks to
	if _, err := io.ReadAll(in); err == nil || tool.AsError(err).Kind != tool.FileTooLarge {
		t.Errorf("more than is allowed: %v", err)
	}
	in = &budget{strings.NewReader(strings.Repeat("x", 100)), 100}
	if text, err := io.ReadAll(in); err != nil || len(text) != 100 {
		t.Errorf("as much as is allowed: %d bytes, %v", len(text), err)
	}
}

// TestExtractAsks: an extraction that replaces nothing has the risk of write_file.
func TestExtractAsks(t *testing.T) {
	for args, want := range map[string]tool.Risk{`{"path":"a.zip"}`: tool.Low, `{"path":"a.zip","overwrite":true}`: ""} {
		for _, tl := range Set.Tools() {
			if tl.Name != "extract_archive" {
				continue
			}
			inv, err := tl.Bind(json.RawMessage(args))
			call := tool.Call{}
			if err == nil {
				err = inv.Check(t.Context(), &call)
			}
			if err != nil || call.Risk != want || tl.Risk != tool.Medium {
				t.Errorf("%s: risk %q, %v", args, call.Risk, err)
			}
		}
	}
}
