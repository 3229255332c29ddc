package httpapi

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/dispatch"
)

func gzipped(t *testing.T, text []byte) string {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func gunzipped(t *testing.T, text string) string {
	t.Helper()
	z, err := gzip.NewReader(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%.40q is not gzip: %v", text, err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(plain)
}

func TestTakesGzip(t *testing.T) {
	for header, want := range map[string]bool{
		"": false, "gzip": true, "GZIP": true, "br, gzip;q=0.5": true, "deflate, x-gzip": true, "*": true, "*;q=0.1": true,
		"gzip;q=0": false, "gzip; q=0.000": false, "*, gzip;q=0": false, "gzip;q=0, *": false, "*;q=0": false, "br": false, "gzip;q=no": false,
		"identity": false, "gzipped": false, "gzip;Q=1.0": true, "gzip ; q=1": true, ",,gzip": true, "identity;q=0, gzip": true,
	} {
		if got := takesGzip([]string{header}); got != want {
			t.Errorf("takesGzip(%q) = %v, want %v", header, got, want)
		}
	}
	if !takesGzip([]string{"br", "gzip"}) {
		t.Error("a second Accept-Encoding is not looked at")
	}
}

func TestCompression(t *testing.T) {
	const much = 100 << 10
	s := serve(t, &calls{
		execute: func(_ context.Context, req dispatch.Request) (dispatch.Response, error) {
			size := len(req.Calls[0].Tool) // the longer the name, the more there is
			return dispatch.Response{
				TraceID: trace, Results: []json.RawMessage{fmt.Appendf(nil, `{"result":"%s"}`, strings.Repeat("x", size*64))},
			}, nil
		},
		result: func(_, callID string) (io.ReadCloser, int64, error) {
			if callID == "small" {
				return io.NopCloser(strings.NewReader(`"little"`)), 8, nil
			}
			return io.NopCloser(strings.NewReader(`"` + strings.Repeat("y", much) + `"`)), much + 2, nil
		},
		events: func(_ context.Context, _, _, _ string, yield func(dispatch.Event) error) error {
			return yield(dispatch.Event{Type: "log", Data: []byte(`"` + strings.Repeat("z", much) + `"`)})
		},
	}, Options{})
	execute := func(size int) string { return `{"calls":[{"tool":"` + strings.Repeat("a", size) + `"}]}` }
	for _, tt := range []struct {
		name, method, path, body string
		squeezed                 bool
		want                     string
	}{
		{"a small answer", "POST", "/v1/execute", execute(1), false, strings.Repeat("x", 64)},
		{"a larger answer", "POST", "/v1/execute", execute(64), true, strings.Repeat("x", 64*64)},
		{"a result", "GET", "/v1/calls/c1/result", "", true, strings.Repeat("y", much)},
		{"a small result", "GET", "/v1/calls/small/result", "", false, `"little"`},
		{"a stream", "GET", "/v1/events?trace_id=" + trace, "", false, strings.Repeat("z", much)},
		{"a problem", "GET", "/v1/tools/nope", "", false, "not_found"},
	} {
		for asked, squeezed := range map[string]bool{"gzip": tt.squeezed, "identity": false} {
			r := s.send(tt.method, tt.path, tt.body, "Accept-Encoding: "+asked)
			got := r.body
			if coding := r.header.Get("Content-Encoding"); (coding == "gzip") != squeezed {
				t.Errorf("%s, asked for as %s: Content-Encoding %q, want gzip %v", tt.name, asked, coding, squeezed)
			} else if squeezed {
				got = gunzipped(t, got)
				if len(r.body) > len(got)/10 {
					t.Errorf("%s of %d bytes was sent as %d", tt.name, len(got), len(r.body))
				}
			}
			if !strings.Contains(got, tt.want) {
				t.Errorf("%s, asked for as %s, is %.100q", tt.name, asked, got)
			}
			if vary := r.header.Get("Vary"); tt.squeezed && vary != "Accept-Encoding" {
				t.Errorf("%s, asked for as %s: Vary %q", tt.name, asked, vary)
			}
		}
	}
	head := s.send("HEAD", "/v1/calls/c1/result", "", "Accept-Encoding: gzip")
	if head.header.Get("Content-Encoding") != "gzip" || head.body != "" {
		t.Errorf("HEAD of a result has %v", head.header)
	}
}

func TestCompressedBodies(t *testing.T) {
	s := serve(t, &calls{execute: echo}, Options{})
	good := `{"calls":[{"tool":"a","arguments":{"b":1}}]}`
	for _, coding := range []string{"gzip", "GZIP", "x-gzip"} {
		if r := s.send("POST", "/v1/execute", gzipped(t, []byte(good)), "Content-Encoding: "+coding); r.status != 200 ||
			!strings.Contains(r.body, `{"b":1}`) {
			t.Errorf("a body in %s = %d %s", coding, r.status, r.body)
		}
	}
	if r := s.send("POST", "/v1/execute", good, "Content-Encoding: identity"); r.status != 200 {
		t.Errorf("a body as it is = %d %s", r.status, r.body)
	}
	for _, tt := range []struct {
		name, coding, body string
		status             int
		errorType, detail  string
	}{
		{"that is none", "gzip", good, 400, "bad_request", "said to be gzip and is not"},
		{"that is cut", "gzip", gzipped(t, []byte(good))[:30], 400, "bad_request", "ended before its end"},
		{"unknown", "br", good, 415, "bad_request", `"br" is not read here`},
		{"twice", "gzip, gzip", good, 415, "bad_request", "send gzip"},
		{"that expands to 9 MiB", "gzip", gzipped(t, make([]byte, 9<<20)), 413, "too_large", "larger than 8388608"},
	} {
		r := s.send("POST", "/v1/execute", tt.body, "Content-Encoding: "+tt.coding)
		t.Run(tt.name, func(t *testing.T) { s.wantProblem(r, tt.status, tt.errorType, tt.detail) })
	}
}

// What a bomb expands to is not read further than to the limit.
func TestBomb(t *testing.T) {
	const limit = 100_000
	bomb := strings.NewReader(gzipped(t, make([]byte, 100*limit)))
	all := bomb.Len()
	r := &http.Request{
		Body:          io.NopCloser(bomb),
		ContentLength: -1,
		Header:        http.Header{"Content-Encoding": {"gzip"}, "Expect": {"100-continue"}},
	}
	if _, err := readJSON(r, limit, free(t)); err == nil {
		t.Error("a bomb is taken")
	}
	if drawn := all - bomb.Len(); drawn > all/2 {
		t.Errorf("%d bytes of %d were read of a bomb that is a hundred times the limit", drawn, all)
	}
}

// Members that hold nothing never reach a limit of what comes out, so what goes in
// has one.
func TestEndlessNothing(t *testing.T) {
	const limit = 1000
	nothing := strings.NewReader(strings.Repeat(gzipped(t, nil), 10*limit))
	before := nothing.Len()
	r := &http.Request{Body: io.NopCloser(nothing), ContentLength: -1, Header: http.Header{"Content-Encoding": {"gzip"}}}
	if body, err := readJSON(r, limit, free(t)); err == nil {
		t.Errorf("a body that expands to nothing is %q, want it refused", body)
	}
	if drawn := before - nothing.Len(); drawn > 2*limit+2 {
		t.Errorf("%d bytes of it were read, want about %d", drawn, limit)
	}
}
