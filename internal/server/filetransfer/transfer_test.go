package filetransfer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/ports/workspace"
	"github.com/helve-dev/helve/tool"
)

// disk returns a workspace and its directory.
func disk(t *testing.T) (tool.Files, string) {
	t.Helper()
	data := t.TempDir()
	w, err := workspace.New(data)
	if err != nil {
		t.Fatal(err)
	}
	files, err := w.For("acme", "ann")
	if err != nil {
		t.Fatal(err)
	}
	return files, filepath.Join(data, "workspaces", "acme", "ann")
}

func request(name string, header ...string) *peer.FileRequest {
	r := &peer.FileRequest{Path: name, Header: map[string]string{}, Limit: 100}
	for i := 0; i < len(header); i += 2 {
		r.Header[header[i]] = header[i+1]
	}
	return r
}

// put writes a file and returns the head of the answer.
func put(t *testing.T, files tool.Files, r *peer.FileRequest, text string) peer.FileHead {
	t.Helper()
	head, err := NewWriter().Put(files, "acme/ann", r, strings.NewReader(text))
	if err != nil {
		t.Fatalf("Put(%s): %v", r.Path, err)
	}
	return head
}

// get returns the head and the contents of the answer.
func get(t *testing.T, files tool.Files, r *peer.FileRequest) (head peer.FileHead, contents string) {
	t.Helper()
	var out bytes.Buffer
	if err := Get(files, r, &out); err != nil {
		t.Fatalf("Get(%s): %v", r.Path, err)
	}
	line, rest, _ := strings.Cut(out.String(), "\n")
	if err := json.Unmarshal([]byte(line), &head); err != nil {
		t.Fatal(err)
	}
	return head, rest
}

// TestGet: a file is answered whole, in parts, or not at all, as the headers ask.
func TestGet(t *testing.T) {
	t.Parallel()
	files, _ := disk(t)
	tag := put(t, files, request("dir/a.pdf"), "0123456789").Header["ETag"]
	for name, want := range map[string]struct {
		header          []string
		head            bool
		status          int
		contents, bytes string
	}{
		"whole":           {status: 200, contents: "0123456789", bytes: "10"},
		"head":            {head: true, status: 200, bytes: "10"},
		"range":           {header: []string{"Range", "bytes=2-4"}, status: 206, contents: "234", bytes: "3"},
		"suffix":          {header: []string{"Range", "bytes=-3"}, status: 206, contents: "789", bytes: "3"},
		"open range":      {header: []string{"Range", "bytes=8-"}, status: 206, contents: "89", bytes: "2"},
		"beyond":          {header: []string{"Range", "bytes=10-"}, status: 416},
		"no range":        {header: []string{"Range", "lines=1-2"}, status: 416},
		"the same":        {header: []string{"If-None-Match", `"x", ` + tag}, status: 304},
		"changed":         {header: []string{"If-None-Match", `"x"`}, status: 200, contents: "0123456789", bytes: "10"},
		"condition":       {header: []string{"If-Match", `"x"`}, status: 412},
		"condition holds": {header: []string{"If-Match", tag}, status: 200, contents: "0123456789", bytes: "10"},
		"old range":       {header: []string{"If-Range", `"x"`, "Range", "bytes=0-1"}, status: 200, contents: "0123456789", bytes: "10"},
	} {
		r := request("dir/a.pdf", want.header...)
		r.Head = want.head
		head, contents := get(t, files, r)
		if head.Status != want.status || contents != want.contents || want.bytes != "" && head.Header["Content-Length"] != want.bytes {
			t.Errorf("%s: %d %q %v, want %d %q of %s bytes", name, head.Status, contents, head.Header, want.status, want.contents, want.bytes)
		}
		if want.status < 300 && (head.Header["ETag"] != tag || head.Header["Content-Type"] != "application/pdf") {
			t.Errorf("%s: the headers are %v", name, head.Header)
		}
	}
	if head, _ := get(t, files, request("dir/a.pdf", "Range", "bytes=10-")); head.Header["Content-Range"] != "bytes */10" {
		t.Errorf("416 has %v, want the size", head.Header)
	}
}

// TestPut: a new file is 201 and a replaced one 204; a condition that does not hold is 412
// and changes nothing; each write has another tag.
func TestPut(t *testing.T) {
	t.Parallel()
	files, _ := disk(t)
	first := put(t, files, request("a.txt"), "one")
	second := put(t, files, request("a.txt"), "two")
	if first.Status != 201 || second.Status != 204 || first.Header["ETag"] == second.Header["ETag"] || first.Header["ETag"] == "" {
		t.Fatalf("the heads are %v and %v", first, second)
	}
	for name, want := range map[string]struct {
		header []string
		path   string
		status int
	}{
		"an old tag":           {[]string{"If-Match", first.Header["ETag"]}, "a.txt", 412},
		"only if it is new":    {[]string{"If-None-Match", "*"}, "a.txt", 412},
		"only if it is there":  {[]string{"If-Match", "*"}, "b.txt", 412},
		"a weak tag":           {[]string{"If-Match", "W/" + second.Header["ETag"]}, "a.txt", 412},
		"it is new":            {[]string{"If-None-Match", "*"}, "new/c.txt", 201},
		"the tag of it as now": {[]string{"If-Match", `"x",` + second.Header["ETag"]}, "same.txt", 412},
	} {
		if got := put(t, files, request(want.path, want.header...), "changed"); got.Status != want.status {
			t.Errorf("%s: %v, want %d", name, got, want.status)
		}
	}
	if _, text := get(t, files, request("a.txt")); text != "two" {
		t.Errorf("a.txt is %q after refused writes", text)
	}
	if got := put(t, files, request("a.txt", "If-Match", second.Header["ETag"]), "three"); got.Status != 204 {
		t.Errorf("a write with the current tag is %v", got)
	}
}

// TestPutCut: an upload that ends early, or whose file changes meanwhile, leaves the file
// and nothing else.
func TestPutCut(t *testing.T) {
	t.Parallel()
	files, dir := disk(t)
	tag := put(t, files, request("a.txt"), "old").Header["ETag"]
	cut := io.MultiReader(strings.NewReader("half"), iotest.ErrReader(errors.New("cut")))
	if _, err := NewWriter().Put(files, "acme/ann", request("a.txt"), cut); err == nil || err.Error() != "cut" {
		t.Errorf("a cut upload ended with %v", err)
	}
	meanwhile := io.MultiReader(strings.NewReader("half"), readerFunc(func([]byte) (int, error) {
		put(t, files, request("a.txt"), "of another")
		return 0, io.EOF
	}))
	head, err := NewWriter().Put(files, "acme/ann", request("a.txt", "If-Match", tag), meanwhile)
	if err != nil || head.Status != http.StatusPreconditionFailed {
		t.Errorf("an upload that was overtaken ended with %v, %v", head, err)
	}
	if _, text := get(t, files, request("a.txt")); text != "of another" {
		t.Errorf("the file is %q", text)
	}
	if names := entries(t, dir); !slices.Equal(names, []string{"a.txt"}) {
		t.Errorf("the directory holds %q", names)
	}
}

type readerFunc func([]byte) (int, error)

// Read implements [io.Reader].
func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func entries(t *testing.T, dir string) (names []string) {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		names = append(names, e.Name())
	}
	return names
}

// TestPutTogether: of many writers that have the same tag exactly one succeeds, and of
// many that want to make a file too.
func TestPutTogether(t *testing.T) {
	t.Parallel()
	files, _ := disk(t)
	tag := put(t, files, request("a.txt"), "old").Header["ETag"]
	w := NewWriter()
	for _, header := range [][]string{{"If-Match", tag}, {"If-None-Match", "*"}} {
		name := map[string]string{"If-Match": "a.txt", "If-None-Match": "new.txt"}[header[0]]
		var all sync.WaitGroup
		status := make([]int, 16)
		for i := range status {
			all.Go(func() {
				head, err := w.Put(files, "acme/ann", request(name, header...), strings.NewReader(fmt.Sprint(i)))
				if err != nil {
					t.Error(err)
				}
				status[i] = head.Status
			})
		}
		all.Wait()
		won := slices.IndexFunc(status, func(s int) bool { return s < 300 })
		lost := slices.DeleteFunc(slices.Clone(status), func(s int) bool { return s != 412 })
		if won < 0 || len(lost) != len(status)-1 {
			t.Fatalf("%s: the statuses are %v, want one success", header[0], status)
		}
		if _, text := get(t, files, request(name)); text != fmt.Sprint(won) {
			t.Errorf("%s: the file is %q, but writer %d was told that it won", header[0], text, won)
		}
	}
}

// TestDelete: a file is removed after the input has ended, unless a condition or the input
// fails.
func TestDelete(t *testing.T) {
	t.Parallel()
	files, _ := disk(t)
	tag := put(t, files, request("a.txt"), "one").Header["ETag"]
	w := NewWriter()
	if head, err := w.Delete(files, "acme/ann", request("a.txt", "If-Match", `"x"`), strings.NewReader("")); err != nil || head.Status != 412 {
		t.Errorf("Delete with another tag = %v, %v", head, err)
	}
	if _, err := w.Delete(files, "acme/ann", request("a.txt"), iotest.ErrReader(errors.New("no record"))); err == nil {
		t.Error("a file was deleted without a record")
	}
	if head, err := w.Delete(files, "acme/ann", request("a.txt", "If-Match", tag), strings.NewReader("")); err != nil || head.Status != 204 {
		t.Errorf("Delete = %v, %v", head, err)
	}
	if _, err := w.Delete(files, "acme/ann", request("a.txt"), strings.NewReader("")); tool.AsError(err).Kind != tool.FileNotFound {
		t.Errorf("Delete of a missing file: %v", err)
	}
}

// TestNoPathOut: no request reaches a file outside the workspace, also not through links.
func TestNoPathOut(t *testing.T) {
	t.Parallel()
	files, dir := disk(t)
	put(t, files, request("dir/a.txt"), "one")
	secret := filepath.Join(filepath.Dir(dir), "secret")
	if err := errors.Join(os.WriteFile(secret, []byte("secret"), 0o600), os.Symlink(secret, filepath.Join(dir, "link")),
		os.Symlink("../..", filepath.Join(dir, "up"))); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"../secret", "dir/../../secret", "/etc/passwd", "link", "up/acme/secret", `..\secret`, `C:\x`, "C:/x", "a\x00b", "", ".", "dir", "dir/",
	} {
		if err := Get(files, request(name), io.Discard); err == nil {
			t.Errorf("Get(%q) reads something", name)
		}
		if head, err := NewWriter().Put(files, "acme/ann", request(name), strings.NewReader("x")); err == nil {
			t.Errorf("Put(%q) = %v", name, head)
		}
	}
	if text, err := os.ReadFile(secret); err != nil || string(text) != "secret" {
		t.Errorf("the file outside is %q, %v", text, err)
	}
}

// TestList: all files below a directory are listed by path, in pages, without links.
func TestList(t *testing.T) {
	t.Parallel()
	files, dir := disk(t)
	want := []string{"a/b/c.txt", "a/z.txt", "a.txt", "b.txt", "c/d.txt"}
	for _, name := range want {
		put(t, files, request(name), name)
	}
	if err := os.Symlink("a.txt", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for limit := 1; limit <= 6; limit++ {
		var got []string
		r := request(".")
		for r.Limit = limit; ; {
			page, err := List(t.Context(), files, r)
			if err != nil || len(page.Files) > limit {
				t.Fatalf("List = %v, %v", page, err)
			}
			for _, f := range page.Files {
				if got = append(got, f.Path); f.Size != int64(len(f.Path)) || f.Modified.IsZero() {
					t.Errorf("the entry is %+v", f)
				}
			}
			if r.After = page.Next; page.Next == "" || len(got) > 10 {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("in pages of %d: %q, want %q", limit, got, want)
		}
	}
	if page, err := List(t.Context(), files, request("a")); err != nil || len(page.Files) != 2 {
		t.Errorf("List(a) = %v, %v", page, err)
	}
	for _, name := range []string{"none", "a.txt", "../x"} {
		if _, err := List(t.Context(), files, request(name)); err == nil {
			t.Errorf("List(%q) succeeded", name)
		}
	}
}

// TestUnmodifiedSince: a change is refused if the file is newer than the caller's copy, unless
// an entity tag decides.
func TestUnmodifiedSince(t *testing.T) {
	t.Parallel()
	files, dir := disk(t)
	head := put(t, files, request("a.txt"), "one")
	at := time.Date(2026, 1, 2, 3, 4, 5, 600e6, time.UTC)
	if err := os.Chtimes(filepath.Join(dir, "a.txt"), at, at); err != nil {
		t.Fatal(err)
	}
	same, before := at.Format(http.TimeFormat), at.Add(-time.Second).Format(http.TimeFormat)
	if got, err := NewWriter().Delete(files, "acme/ann", request("a.txt", "If-Unmodified-Since", before), strings.NewReader("")); err != nil ||
		got.Status != 412 {
		t.Errorf("Delete of a newer file = %v, %v", got, err)
	}
	if got := put(t, files, request("a.txt", "If-Unmodified-Since", before), "two"); got.Status != 412 || got.Header["ETag"] == "" {
		t.Errorf("Put over a newer file = %v", got)
	}
	if got := put(t, files, request("new.txt", "If-Unmodified-Since", before), "two"); got.Status != 201 {
		t.Errorf("Put of a new file = %v", got)
	}
	if got := put(t, files, request("a.txt", "If-Match", head.Header["ETag"], "If-Unmodified-Since", same), "two"); got.Status != 412 {
		t.Errorf("Put with an old tag = %v", got)
	}
	if got := put(t, files, request("a.txt", "If-Unmodified-Since", same), "two"); got.Status != 204 {
		t.Errorf("Put over the file as it is = %v", got)
	}
	if got := put(t, files, request("a.txt", "If-Unmodified-Since", "yesterday"), "three"); got.Status != 204 {
		t.Errorf("Put with no time = %v", got)
	}
}
