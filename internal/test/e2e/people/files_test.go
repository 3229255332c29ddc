package people

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestFilesOverHTTP: tools read a file that was put, and a file that a tool wrote can be
// fetched, in parts and under conditions.
func TestFilesOverHTTP(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	d := shared.HTTP(0)
	send := func(method, path, body string, header ...string) system.Reply {
		h := http.Header{"Helve-Tenant": {tenant}}
		for i := 0; i < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		return d.Send(t, method, path, body, h)
	}
	want := func(r system.Reply, status int, body string) system.Reply {
		t.Helper()
		if r.Status != status || body != "" && string(r.Body) != body {
			t.Fatalf("the answer is %d %.300s, want %d %q", r.Status, r.Body, status, body)
		}
		return r
	}
	put := want(send("PUT", "/v1/files/in/a%20b.txt?user=u1", "hello file"), 201, "")
	if e := system.One(t, d, tenant, `{"tool": "read_file", "arguments": {"path": "in/a b.txt"}}`); e.Status != "error" {
		t.Errorf("the file of u1 is in the workspace of others: %v", e)
	}
	e := system.Execute(t, d, tenant, system.CallAs("u1", `{"tool": "read_file", "arguments": {"path": "in/a b.txt"}}`)).Results[0]
	if e.Status != "success" || !strings.Contains(string(e.Result)+e.Text, "hello file") {
		t.Errorf("read_file of an uploaded file = %v", e)
	}
	e = system.Execute(t, d, tenant,
		system.CallAs("u1", `{"tool": "write_file", "arguments": {"path": "out/r.html", "content": "<b>made</b>"}}`)).Results[0]
	if e.Status != "success" {
		t.Fatalf("write_file = %v", e)
	}
	got := want(send("GET", "/v1/files/out/r.html?user=u1", ""), 200, "<b>made</b>")
	for name, text := range map[string]string{
		"Content-Type": "text/html; charset=utf-8", "Content-Disposition": "attachment; filename=r.html",
		"Content-Security-Policy": "sandbox; default-src 'none'",
		"X-Content-Type-Options":  "nosniff", "Content-Length": "11",
	} {
		if got.Header.Get(name) != text {
			t.Errorf("%s is %q, want %q", name, got.Header.Get(name), text)
		}
	}
	if r := want(send("GET", "/v1/files/in/a b.txt?user=u1", "", "Range", "bytes=6-"), 206,
		"file"); r.Header.Get("Content-Range") != "bytes 6-9/10" {
		t.Errorf("Content-Range is %q", r.Header.Get("Content-Range"))
	}
	want(send("GET", "/v1/files/in/a b.txt?user=u1", "", "If-None-Match", put.Header.Get("ETag")), 304, "")
	if r := want(send("HEAD", "/v1/files/in/a b.txt?user=u1", ""), 200, ""); r.Header.Get("Content-Length") != "10" ||
		r.Header.Get("ETag") != put.Header.Get("ETag") {
		t.Errorf("HEAD has %v", r.Header)
	}
	if r := want(send("GET", "/v1/files/?user=u1", ""), 200, ""); strings.Count(string(r.Body), `"path"`) != 2 ||
		!strings.Contains(string(r.Body), `{"path":"in/a b.txt","size":10,"modified":"`) {
		t.Errorf("the list is %s", r.Body)
	}
	want(send("GET", "/v1/files/out/?user=u1&limit=1", ""), 200, "")
	system.WantProblem(t, "a range", send("GET", "/v1/files/in/a b.txt?user=u1", "", "Range", "bytes=99-"), 416, "bad_request")
	system.WantProblem(t, "a condition", send("PUT", "/v1/files/in/a b.txt?user=u1", "x", "If-None-Match", "*"), 412, "conflict")
	want(send("PUT", "/v1/files/in/a b.txt?user=u1", "new", "If-Match", put.Header.Get("ETag")), 204, "")
	system.WantProblem(t, "an old tag", send("DELETE", "/v1/files/in/a b.txt?user=u1", "", "If-Match", put.Header.Get("ETag")),
		412, "conflict")
	want(send("DELETE", "/v1/files/in/a b.txt?user=u1", ""), 204, "")
	system.WantProblem(t, "it is gone", send("GET", "/v1/files/in/a b.txt?user=u1", ""), 404, "not_found")
	var operations []string
	records, _ := system.QueryRecords(t, d, tenant, map[string]string{"phase": "personal_data"})
	for _, r := range records {
		operations = append(operations, r.Tool)
	}
	if got := strings.Join(operations, " "); got != "files.put files.put files.delete" {
		t.Errorf("the trail has %q, want each change that happened", got)
	}
}

// TestFilesPathsOut: every spelling of a path that leads out, or that is no file of every
// system, is refused, and paths that the mux would redirect too.
func TestFilesPathsOut(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	for _, path := range []string{
		"../x", "a/../../x", "%2e%2e/x", "a/%2e%2e%2f%2e%2e/x", "/etc/passwd", "%2Fetc/passwd", "..%5Cx", "C:%5Cx", "C:/x", "c:x", "a%00b", "%ff",
		"NUL", "dir/con.txt", "com1", "dir/",
	} {
		for _, method := range []string{"GET", "PUT", "DELETE"} {
			if method == "GET" && path == "dir/" {
				continue // a list
			}
			r := shared.HTTP(0).Send(t, method, "/v1/files/"+path, "", http.Header{"Helve-Tenant": {tenant}})
			if r.Status != 400 && r.Status != 403 && r.Status != 404 || method == "PUT" && r.Status == 404 {
				t.Errorf("%s %s = %d %s", method, path, r.Status, r.Body)
			}
		}
	}
	if r := shared.HTTP(0).Send(t, "POST", "/v1/files/a", "", nil); r.Status != 405 || r.Header.Get("Allow") != "DELETE, GET, HEAD, PUT" {
		t.Errorf("POST = %d, Allow %q", r.Status, r.Header.Get("Allow"))
	}
}

// TestFilesOfOthers: a person reaches their own files only, an admin those of the tenant by
// name, and an agent or an auditor none. Each tenant and person has a workspace of its own.
func TestFilesOfOthers(t *testing.T) {
	t.Parallel()
	f := newForeigners(t)
	ask := func(who, method, path, body string, header ...string) system.Reply {
		h := http.Header{}
		for i := 0; i < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		return f.web[who].Send(t, method, "/v1/files/"+path, body, h)
	}
	if r := ask("ann", "PUT", "a.txt", "secret"); r.Status != 201 {
		t.Fatalf("PUT = %d %s", r.Status, r.Body)
	}
	for _, tt := range []struct {
		who, path string
		status    int
	}{
		{"bob", "a.txt", 404}, {"bob", "a.txt?user=ann", 403}, {"bob", "../ann/a.txt", 403}, {"bob", "a.txt?user=../ann", 400},
		{"agent", "a.txt", 403}, {"agent", "a.txt?user=ann", 403}, {"auditor", "a.txt?user=ann", 403}, {"admin", "a.txt", 404},
		{"admin", "a.txt?user=bob", 404},
	} {
		for _, method := range []string{"GET", "DELETE"} {
			if r := ask(tt.who, method, tt.path, ""); r.Status != tt.status || strings.Contains(string(r.Body), "secret") {
				t.Errorf("%s %s of %s = %d %s, want %d", method, tt.path, tt.who, r.Status, r.Body, tt.status)
			}
		}
		if r := ask(tt.who, "PUT", tt.path, "x", "If-Match", "*"); r.Status != tt.status && (tt.status != 404 || r.Status != 412) {
			t.Errorf("PUT %s of %s = %d %s", tt.path, tt.who, r.Status, r.Body)
		}
	}
	for path, status := range map[string]int{"": 200, "?user=ann": 403} {
		if r := ask("bob", "GET", path, ""); r.Status != status || strings.Contains(string(r.Body), "a.txt") {
			t.Errorf("the list %q of bob = %d %s", path, r.Status, r.Body)
		}
	}
	for _, d := range []system.Door{f.bob, f.bobsNATS, f.annsAgent, f.auditor} {
		for _, operation := range []string{"files.list", "files.delete"} {
			if r := d.Ask(t, "default", operation, map[string]string{"user": "ann", "path": "a.txt"}, ""); r.Status != 403 {
				t.Errorf("%s = %d %s", operation, r.Status, r.Body)
			}
		}
	}
	if r := ask("admin", "GET", "a.txt?user=ann", ""); r.Status != 200 || string(r.Body) != "secret" {
		t.Errorf("GET of the admin = %d %s", r.Status, r.Body)
	}
	if r := f.Send(t, "GET", "/v1/files/a.txt", "", nil); r.Status != 401 {
		t.Errorf("GET without a key = %d", r.Status)
	}
}

// Send sends a request without a credential.
func (f *foreigners) Send(t *testing.T, method, path, body string, header http.Header) system.Reply {
	t.Helper()
	return f.HTTP(0).Send(t, method, path, body, header)
}

// TestFilesLimits: a body above the limit, announced or not, and a body that is cut leave
// the file as it was; a compressed body counts by its contents.
func TestFilesLimits(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Dispatchers: 1, Config: func(c *config.Config) { c.HTTP.MaxFile = 2048 }})
	d := s.HTTP(0)
	send := func(body io.Reader, header ...string) system.Reply {
		t.Helper()
		req, err := http.NewRequestWithContext(system.Context(t), http.MethodPut, d.URL+"/v1/files/a.txt", body)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		res, err := d.Client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(res.Body)
		if err = errors.Join(err, res.Body.Close()); err != nil {
			t.Fatal(err)
		}
		return system.Reply{Status: res.StatusCode, Header: res.Header, Body: text}
	}
	full := strings.Repeat("x", 2048)
	if r := send(strings.NewReader(full)); r.Status != 201 {
		t.Fatalf("a file of the largest size = %d %s", r.Status, r.Body)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write(bytes.Repeat([]byte("y"), 1<<20)) // a buffer takes everything
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	system.WantProblem(t, "a file that is too large", send(strings.NewReader(full+"x")), 413, "too_large")
	system.WantProblem(t, "one of an unknown size", send(struct{ io.Reader }{strings.NewReader(full + "x")}), 413, "too_large")
	system.WantProblem(t, "a compressed one", send(&packed, "Content-Encoding", "gzip"), 413, "too_large")
	system.WantProblem(t, "a part of a file", send(strings.NewReader("x"), "Content-Range", "bytes 0-0/5"), 400, "bad_request")
	conn, err := (&net.Dialer{}).DialContext(system.Context(t), "tcp", strings.TrimPrefix(d.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.WriteString(conn, "PUT /v1/files/a.txt HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nhalf")
	if err = errors.Join(err, conn.Close()); err != nil {
		t.Fatal(err)
	}
	if r := d.Send(t, "GET", "/v1/files/a.txt", "", nil); r.Status != 200 || string(r.Body) != full {
		t.Errorf("after refused uploads the file is %d %.100q", r.Status, r.Body)
	}
	system.Eventually(t, "the cut upload has ended", func() bool {
		var left []string
		_ = filepath.WalkDir(s.Config.Data, func(path string, _ fs.DirEntry, _ error) error {
			if strings.Contains(path, ".helve-tmp-") {
				left = append(left, path)
			}
			return nil
		})
		return len(left) == 0
	})
}

// TestFilesCommand: the command line and the client store, list, get and delete files.
func TestFilesCommand(t *testing.T) {
	t.Parallel()
	at := []string{"--server", shared.URLs[0], "--tenant", system.NewTenant(), "--user", "ann"}
	run := func(stdin, want string, args ...string) {
		t.Helper()
		code, out, complaints := system.Command(t, strings.NewReader(stdin), append(append([]string{"files"}, args...), at...)...)
		if code != 0 || !strings.Contains(out, want) {
			t.Fatalf("helve files %q = %d %q %s, want %q", args, code, out, complaints, want)
		}
	}
	dir := t.TempDir()
	from, to := filepath.Join(dir, "ä 1.pdf"), filepath.Join(dir, "copy.pdf")
	contents := strings.Repeat("0123456789", 100_000)
	if err := os.WriteFile(from, []byte(contents), 0o600); err != nil {
		t.Fatal(err)
	}
	run("", "", "put", from, "in/")
	run("now", "", "put", "-", "now.txt")
	run("", "1000000", "list", "in")
	run("", `"path":"now.txt"`, "list", "--json")
	run("", "now", "get", "now.txt")
	run("", "", "get", "in/ä 1.pdf", to)
	if got, err := os.ReadFile(to); err != nil || string(got) != contents {
		t.Errorf("the copy has %d bytes, %v", len(got), err)
	}
	run("", "", "delete", "now.txt")
	code, out, complaints := system.Command(t, nil, append([]string{"files", "get", "now.txt"}, at...)...)
	if code != 1 || out != "" || !strings.Contains(complaints, "File not found: now.txt") {
		t.Errorf("helve files get of a missing file = %d %q %s", code, out, complaints)
	}
}
