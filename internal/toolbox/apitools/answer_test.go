package apitools

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

const plainAPI = `
  /a:
    get: {operationId: get, responses: {'200': {description: ok, content: {application/json: {}}}}}
    post: {operationId: post}
    head: {operationId: head}
  /file: {get: {operationId: file, responses: {'200': {description: ok, content: {image/png: {}}}}}}
`

// TestAnswers: an answer is a JSON value or a text, marked as from outside.
func TestAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, plainAPI, nil)
	for _, tt := range []struct{ media, body, want string }{
		{"application/json", ` {"n": 9007199254740993, "x": 0.10} `, `{"n":9007199254740993,"x":0.10}`},
		{"application/problem+json; charset=utf-8", `[]`, `[]`},
		{"application/json", ``, ``},
		{"application/json", `{"a":1,"a":2}`, `"{\"a\":1,\"a\":2}"`}, // readers would differ
		{"text/plain; charset=iso-8859-1", "caf\xe9", `"café"`},
		{"", "sniffed", `"sniffed"`},
		{"text/html", "<b>x</b>", `"<b>x</b>"`},
	} {
		w.answers(200, tt.media, tt.body, "X-Total-Count", "9", "Set-Cookie", "a=b", "X-RateLimit-Remaining", "3")
		res, err := w.call("get", `{}`)
		if err != nil {
			t.Errorf("%s %q: %v", tt.media, tt.body, err)
			continue
		}
		r := value(t, res)
		if string(r.Body) != tt.want || r.Status != 200 || r.Headers["x-total-count"] != "9" || r.Headers["set-cookie"] != "" ||
			r.Headers["x-ratelimit-remaining"] != "3" || res.Metadata["status"] != 200 {
			t.Errorf("%s %q is %s, want %s", tt.media, tt.body, res.Value, tt.want)
		}
		host := strings.TrimPrefix(w.server.URL, "http://")
		if len(res.Notes) != 1 || !strings.Contains(res.Notes[0], "from outside, from "+host) ||
			!strings.Contains(res.Text, "not to be trusted") || !strings.HasPrefix(res.Text, "HTTP 200 OK\n") {
			t.Errorf("it is not marked: %q, %q", res.Notes, res.Text)
		}
	}
	if res, err := w.call("head", `{}`); err != nil || value(t, res).Body != nil {
		t.Errorf("HEAD is %s, %v", res.Value, err)
	}
	w.answers(204, "", "")
	if res, err := w.call("post", `{}`); err != nil || string(res.Value) != `{"status":204}` {
		t.Errorf("204 is %s, %v", res.Value, err)
	}
}

// TestRefusals: each status has its kind, and what the API says is marked and cut.
func TestRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t, plainAPI, nil)
	for _, tt := range []struct {
		status      int
		media, body string
		headers     []string
		kind        tool.Kind
		parts       []string
	}{
		{
			400, "application/json", `{"message": "no \u200bname", "code": 7}`, nil, tool.ExecutionError,
			[]string{"status 400", "from outside", `"no name"`},
		},
		{404, "application/json", `{"error": {"message": "gone"}}`, nil, tool.ExecutionError, []string{"status 404", `"gone"`}},
		{422, "application/problem+json", `{"title": "T", "detail": "D"}`, nil, tool.ExecutionError, []string{`"D"`}},
		{400, "text/html", `<h1>x</h1>`, nil, tool.ExecutionError, []string{"(status 400)"}},
		{400, "text/plain", strings.Repeat("long ", 9000), nil, tool.ExecutionError, []string{"…"}},
		{401, "", "", nil, tool.ExecutionError, []string{"bound no service to the API pets"}},
		{403, "", "", nil, tool.ExecutionError, []string{"status 403"}},
		{403, "", "", []string{"X-RateLimit-Remaining", "0"}, tool.RateLimited, []string{"60 seconds"}},
		{429, "", "", []string{"Retry-After", "7"}, tool.RateLimited, []string{"7 seconds"}},
		{429, "", "", []string{"Retry-After", "Fri, 02 Jan 2026 03:05:05 GMT"}, tool.RateLimited, []string{"60 seconds"}},
		{429, "", "", []string{"Retry-After", "soon"}, tool.RateLimited, []string{"60 seconds"}},
		{500, "text/plain", "oops", nil, tool.NetworkError, []string{"status 500", "oops"}},
		{503, "", "", nil, tool.NetworkError, []string{"status 503"}},
	} {
		w.answers(tt.status, tt.media, tt.body, tt.headers...)
		for _, id := range []string{"get", "post"} {
			_, err := w.call(id, `{}`)
			wantError(t, fmt.Sprintf("%s answered %d", id, tt.status), err, tt.kind, tt.parts...)
			if len(tool.AsError(err).Msg) > 1000 {
				t.Errorf("%d: the message has %d bytes", tt.status, len(tool.AsError(err).Msg))
			}
		}
	}
	w.answers(502, "", "")
	_, err := w.call("post", `{}`)
	wantError(t, "a gateway that failed", err, tool.NetworkError, "status 502", "check before you try again")
	secured := newSecured(t)
	secured.entry("tokens", map[string]string{"access_token": "tok-1"})
	secured.answers(401, "", "")
	before := secured.count()
	_, err = secured.call("bearer", `{}`)
	wantError(t, "a refused key", err, tool.NotConfigured, `refused the key of the service "tokens" (status 401)`,
		"helve config set tokens --stdin api_key")
	if n := secured.count() - before; n != 1 {
		t.Errorf("a refused key was tried %d times", n)
	}
}

// TestNonsense: a success that makes no sense is an error, and silence of a call that
// changes something leaves its outcome open.
func TestNonsense(t *testing.T) {
	t.Parallel()
	w := newWorld(t, plainAPI, nil)
	w.answers(200, "application/json", `{"a":`)
	for _, id := range []string{"get", "post"} {
		_, err := w.call(id, `{}`)
		wantError(t, "broken JSON", err, tool.ExecutionError, "not the JSON that it declares")
	}
	hangUp := func(rw http.ResponseWriter, _ *http.Request) {
		conn, _, err := rw.(http.Hijacker).Hijack()
		if err == nil {
			_ = conn.Close()
		}
	}
	cut := func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Length", "100")
		rw.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(rw, `{"a":1}`)
	}
	for name, respond := range map[string]http.HandlerFunc{"no answer": hangUp, "half an answer": cut} {
		w.respond = respond
		_, err := w.call("get", `{}`)
		wantError(t, name+" to GET", err, tool.NetworkError)
		before := w.count()
		_, err = w.call("post", `{}`)
		wantError(t, name+" to POST", err, tool.OutcomeUnknown, "may or may not have happened")
		if n := w.count() - before; n != 1 {
			t.Errorf("%s: POST was sent %d times", name, n)
		}
	}
	w.server.Close()
	_, err := w.call("post", `{}`)
	wantError(t, "nobody there", err, tool.NetworkError)
}

// TestLongAnswers: a long answer is cut where it stays readable.
func TestLongAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, plainAPI, nil)
	item := `{"id":1,"text":"` + strings.Repeat("x", 1000) + `"}`
	list := "[" + strings.Repeat(item+",", 499) + item + "]"
	for _, tt := range []struct{ media, body, note string }{
		{"application/json", list, "of 500 items are shown"},
		{"application/json", `{"total":500,"items":` + list + `}`, "of 500 items of items are shown"},
		{"application/json", `{"a":"` + strings.Repeat("y", 300<<10) + `"}`, "the first 102400 bytes are shown"},
		{"text/plain", strings.Repeat("ä", 300<<10), "bytes are shown"},
		{"text/plain", strings.Repeat("z", 20<<20), "bytes are shown"},
	} {
		w.answers(200, tt.media, tt.body)
		res, err := w.call("get", `{}`)
		if err != nil {
			t.Errorf("%.40s: %v", tt.body, err)
			continue
		}
		if size, ok := res.Metadata["size"].(int64); !ok || size != int64(len(tt.body)) {
			if least, ok := res.Metadata["size_at_least"].(int64); !ok || least > int64(len(tt.body)) {
				t.Errorf("%.40s: the metadata is %v, want the size %d", tt.body, res.Metadata, len(tt.body))
			}
		}
		if !res.Truncated || len(res.Value) > 2*maxResult || len(res.Text) > 2*maxResult || !strings.Contains(res.Notes[0], tt.note) ||
			!json.Valid(res.Value) {
			t.Errorf("%.40s: truncated %v, %d bytes, notes %q", tt.body, res.Truncated, len(res.Value), res.Notes)
		}
	}
}

// TestBinaryAnswers: an answer that is not text becomes a file of the workspace.
func TestBinaryAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, plainAPI, nil)
	for disposition, want := range map[string]string{
		"":                                       "pets_file-",
		`attachment; filename="../../etc/a.png"`: "a-",
		`attachment; filename=".."`:              "pets_file-",
		`attachment; filename="b:c.png"`:         "b_c-",
	} {
		w.answers(200, "image/png", "\x89PNG\x00", "Content-Disposition", disposition)
		res, err := w.call("file", `{}`)
		if err != nil {
			t.Fatal(err)
		}
		r := value(t, res)
		if !strings.HasPrefix(r.File, want) || !strings.HasSuffix(r.File, ".png") || strings.Contains(r.File, "/") ||
			w.files[r.File] != "\x89PNG\x00" || !strings.Contains(res.Text, r.File) {
			t.Errorf("%q is the file %q of %v: %s", disposition, r.File, w.files, res.Text)
		}
	}
	w.answers(200, "image/png", "\x89PNG\x00")
	res, err := w.call("get", `{}`)
	if err != nil || value(t, res).Body != nil || !strings.Contains(res.Text, "image/png") {
		t.Errorf("a file that was not declared is %s, %v", res.Value, err)
	}
}
