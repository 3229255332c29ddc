package filesystem

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/ports/netguard"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// site is a server and a guarded client for it.
func site(t *testing.T) (url string, guard tool.HTTP) {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/a%20b.csv", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/csv")
		_, _ = io.WriteString(w, "a,b\n")
	})
	mux.HandleFunc("/named", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="..\\..\\up/../re port.pdf"`)
		_, _ = w.Write([]byte("%PDF\x00"))
	})
	mux.HandleFunc("/empty", func(http.ResponseWriter, *http.Request) {})
	mux.Handle("/moved", http.RedirectHandler("/a%20b.csv", http.StatusFound))
	mux.Handle("/inside", http.RedirectHandler("http://10.0.0.1/", http.StatusFound))
	mux.HandleFunc("/declared", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(maxDownload+1))
	})
	mux.HandleFunc("/endless", func(w http.ResponseWriter, r *http.Request) {
		part := make([]byte, 1<<20)
		for r.Context().Err() == nil {
			if _, err := w.Write(part); err != nil {
				return
			}
		}
	})
	mux.HandleFunc("/silent", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	mux.HandleFunc("/cut", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write([]byte("half"))
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	g, err := netguard.New(netguard.Options{Allow: []string{server.Listener.Addr().String()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return server.URL, g
}

func TestDownloadFile(t *testing.T) {
	url, guard := site(t)
	files, dir := diskAt(t, map[string]string{"old.csv": "old", "d/": "", "d/a b.csv": "old"})
	link(t, "/etc/helve-test", filepath.Join(dir, "out"))
	link(t, "missing/where", filepath.Join(dir, "dangling"))
	args := func(from, to string) string { return fmt.Sprintf(`{"url":"%s/%s","path":%q}`, url, from, to) }
	over := func(from, to string) string {
		return fmt.Sprintf(`{"url":"%s/%s","path":%q,"overwrite":true}`, url, from, to)
	}
	want := func(from, to string, size int, kind string) string {
		return fmt.Sprintf(`{"success":true,"url":"%s/%s","path":%q,"size":%d,"contentType":%q}`, url, from, to, size, kind)
	}
	tooltest.Run(t, Set, "download_file", tool.Call{Files: files, HTTP: guard}, []tooltest.Case{
		{Name: "new", Args: args("a%20b.csv", "x/new.csv"), Want: want("a%20b.csv", "x/new.csv", 4, "text/csv")},
		{Name: "redirected", Args: args("moved", "x/moved"), Want: want("moved", "x/moved", 4, "text/csv")},
		{Name: "nothing in it", Args: args("empty", "empty"), Want: want("empty", "empty", 0, "")},
		{
			Name:    "there already",
			Args:    args("endless", "old.csv"),
			Fails:   tool.ValidationError,
			Message: "The file exists already: old.csv; set overwrite",
		},
		{Name: "over a file", Args: over("a%20b.csv", "old.csv"), Want: want("a%20b.csv", "old.csv", 4, "text/csv")},
		{Name: "its own name", Args: args("named", "d"), Want: want("named", "d/re port.pdf", 5, "application/octet-stream")},
		{Name: "name of the address", Args: args("moved", "n/"), Want: want("moved", "n/a b.csv", 4, "text/csv")},
		{Name: "its own name is there", Args: args("moved", "d"), Fails: tool.ValidationError, Message: "The file exists already: d/a b.csv"},
		{Name: "not there", Args: args("nothing", "no"), Fails: tool.NetworkError, Message: "The server answered 404 Not Found"},
		{Name: "too large", Args: args("declared", "no"), Fails: tool.FileTooLarge, Message: "50MB"},
		{Name: "without an end", Args: args("endless", "no/dir/file"), Fails: tool.FileTooLarge, Message: "50MB"},
		{Name: "cut off", Args: over("cut", "x/new.csv"), Fails: tool.NetworkError, Message: "before the whole file had come"},
		{Name: "cut off at first", Args: args("cut", "no"), Fails: tool.NetworkError, Message: "call again"},
		{
			Name:    "no answer",
			Args:    args("silent", "no"),
			Fails:   tool.NetworkError,
			Message: "did not answer as a web server does, so nothing was saved: check",
		},
		{
			Name:    "nobody there",
			Args:    `{"url":"http://helve.invalid/","path":"no"}`,
			Fails:   tool.NetworkError,
			Message: "Cannot resolve host: helve.invalid, so nothing was saved: check",
		},
		{Name: "inner address", Args: `{"url":"http://169.254.169.254/latest","path":"no"}`, Fails: tool.PermissionDenied},
		{Name: "redirected inside", Args: args("inside", "no"), Fails: tool.PermissionDenied},
		{Name: "other scheme", Args: `{"url":"file:///etc/passwd","path":"no"}`, Fails: tool.ValidationError, Message: "http://"},
		{Name: "no scheme", Args: `{"url":"example.com/x","path":"no"}`, Fails: tool.ValidationError},
		{Name: "bad address", Args: `{"url":"http://a b/%zz","path":"no"}`, Fails: tool.ValidationError},
		{
			Name:    "password",
			Args:    `{"url":"http://u:hunter2@example.com/","path":"no"}`,
			Fails:   tool.ValidationError,
			Message: "user name or password",
		},
		{Name: "outside", Args: args("endless", "../x"), Fails: tool.PathNotAllowed},
		{Name: "absolute", Args: args("endless", "/tmp/x/"), Fails: tool.PathNotAllowed},
		{Name: "link out", Args: over("endless", "out"), Fails: tool.PathNotAllowed},
		{Name: "a link to nowhere", Args: over("empty", "dangling"), Fails: tool.FileNotFound, Message: "dangling"},
		{Name: "over a link to nowhere", Args: args("empty", "dangling"), Fails: tool.ValidationError, Message: "exists already: dangling"},
		{Name: "through a file", Args: args("endless", "old.csv/x"), Fails: tool.ValidationError},
		{Name: "no path", Args: `{"url":"http://example.com/"}`, Fails: tool.ValidationError, Message: "path"},
		{Name: "empty path", Args: args("endless", ""), Fails: tool.ValidationError},
	})
	wantFile(t, files, "x/new.csv", "a,b\n")
	wantFile(t, files, "old.csv", "a,b\n")
	wantFile(t, files, "d/a b.csv", "old")
	wantTree(t, files, "d/ d/a b.csv d/re port.pdf dangling empty n/ n/a b.csv no/ no/dir/ old.csv out x/ x/moved x/new.csv")
	wantNoParts(t, dir)
	wantDead(t, "download_file", `{"url":"http://example.com/","path":"a"}`)
}

// wantNoParts checks that the host's directory contains no unfinished files.
func wantNoParts(t *testing.T, dir string) {
	t.Helper()
	parts, err := filepath.Glob(filepath.Join(dir, "*", ".helve-tmp-*"))
	more, err2 := filepath.Glob(filepath.Join(dir, ".helve-tmp-*"))
	if err != nil || err2 != nil || len(parts)+len(more) > 0 {
		t.Errorf("unfinished files are left: %q %q, %v %v", parts, more, err, err2)
	}
}

// Another program creates the file during the download.
func TestDownloadFileLosesARace(t *testing.T) {
	files, dir := diskAt(t, map[string]string{"d/": ""})
	race := tooltest.Doer(func(req *http.Request) (*http.Response, error) {
		body := io.NopCloser(readerFunc(func([]byte) (int, error) {
			return 0, orEOF(os.WriteFile(filepath.Join(dir, "d", "f"), []byte("first"), 0o600))
		}))
		return &http.Response{StatusCode: http.StatusOK, Body: body, Request: req, ContentLength: -1}, nil
	})
	tooltest.Run(t, Set, "download_file", tool.Call{Files: files, HTTP: race}, []tooltest.Case{
		{Name: "second", Args: `{"url":"http://example.com/f","path":"d/"}`, Fails: tool.ValidationError, Message: "exists already: d/f"},
	})
	wantFile(t, files, "d/f", "first")
	wantNoParts(t, dir)
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func orEOF(err error) error {
	if err == nil {
		return io.EOF
	}
	return err
}

func TestPlainName(t *testing.T) {
	for name, want := range map[string]string{
		"a.txt": "a.txt", "/x/y z.pdf": "y z.pdf", `C:\dir\a.txt`: "a.txt", "..": "", ".": "", "": "", "/": "", "../../etc/passwd": "passwd",
		".bashrc": "bashrc", "...": "", "a\x00b\nc\u202e.txt": "abc.txt", "a<b>:c?*|.txt": "a_b__c___.txt", "trailing. . ": "trailing",
		"bad\xff.txt":  "bad.txt",
		".helve-tmp-x": "helve-tmp-x", "файл.txt": "файл.txt", "\u00a0 x": "x",
		strings.Repeat("n", 300) + ".tar": strings.Repeat("n", 251) + ".tar", strings.Repeat("é", 200): strings.Repeat("é", 127),
		"x." + strings.Repeat("e", 300): "x." + strings.Repeat("e", 253),
	} {
		if got := plainName(name); got != want {
			t.Errorf("plainName(%q) = %q, want %q", name, got, want)
		}
	}
}

func FuzzPlainName(f *testing.F) {
	f.Add("a/../b\x00.txt")
	f.Add(strings.Repeat("é", 300))
	f.Fuzz(func(t *testing.T, name string) {
		got := plainName(name)
		if len(got) > maxName || strings.ContainsAny(got, "/\\\x00\n") || strings.HasPrefix(got, ".") || strings.ToValidUTF8(got, "") != got {
			t.Errorf("plainName(%q) = %q", name, got)
		}
	})
}
