package webapi

import (
	"net/http"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// body expects the result's body to be value, byte for byte.
func body(value string) func(*testing.T, tool.Result) {
	return func(t *testing.T, res tool.Result) {
		t.Helper()
		if want := `"body":` + value + `,`; !strings.Contains(string(res.Value), want) {
			t.Errorf("result = %.500s, want it to hold %s", res.Value, want)
		}
	}
}

func TestResponseJSON(t *testing.T) {
	for _, tt := range []struct{ name, contentType, sent, format, want string }{
		{"value", "application/json", `{"users": ["alice", "bob"]}`, "auto", `{"users":["alice","bob"]}`},
		{"digits", "application/json; charset=utf-8", ` [12345678901234567890.10, 1e400] `, "auto", `[12345678901234567890.10,1e400]`},
		{"suffix", "application/problem+json", `{"title":"<no>"}`, "auto", `{"title":"<no>"}`},
		{"byte order mark", "application/json", "\uFEFFtrue", "auto", `true`},
		{"raw too", "application/json", `null`, "raw", `null`},
		{"as text", "application/json", `{"a":1}`, "text", `"{\"a\":1}"`},
		{"broken", "application/json", `{"a":`, "auto", `"{\"a\":"`},
		{"two values", "application/json", `1 2`, "auto", `"1 2"`},
		{"member twice", "application/json", `{"a":1,"a":2}`, "auto", `"{\"a\":1,\"a\":2}"`},
		{"not declared", "text/plain", `{"a":1}`, "auto", `"{\"a\":1}"`},
	} {
		url, call := serve(t, answer(200, tt.contentType, tt.sent))
		tooltest.Run(t, Set, "http_request", call, []tooltest.Case{
			{Name: tt.name, Args: `{"url":"` + url + `","format":"` + tt.format + `"}`, Check: body(tt.want)},
		})
	}
}

func TestIsJSONBoundsDepth(t *testing.T) {
	for depth, want := range map[int]bool{1: true, maxJSONDepth: true, maxJSONDepth + 1: false, 50_000: false} {
		if got := isJSON(strings.Repeat("[", depth) + strings.Repeat("]", depth)); got != want {
			t.Errorf("isJSON at depth %d = %v, want %v", depth, got, want)
		}
	}
}

func TestResponseHeaders(t *testing.T) {
	url, call := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("X-Many", "one")
		w.Header().Add("X-Many", "two")
		w.Header().Set("X-Bytes", "a\xffb")
		answer(200, "text/plain", "x")(w, r)
	})
	tooltest.Run(t, Set, "http_request", call, []tooltest.Case{{
		Name: "headers",
		Args: `{"url":"` + url + `"}`,
		Want: `{"status":200,"statusText":"OK","headers":{"content-length":"1","content-type":"text/plain","x-bytes":"a\ufffdb","x-many":"one, two"},"body":"x","url":"` + url + `"}`,
	}})
}

func TestFlattenIsBounded(t *testing.T) {
	h := http.Header{"A": {"small"}, "B": {strings.Repeat("x", maxHeaders)}, "C": {"late"}}
	flat := flatten(h)
	if len(flat) != 1 || flat["a"] != "small" {
		t.Errorf("flatten kept %d headers, want the first alone", len(flat))
	}
}

func TestStatusText(t *testing.T) {
	for _, tt := range []struct {
		code         int
		status, want string
	}{
		{201, "201 Created", "Created"},
		{404, "404 Nothing here", "Nothing here"},
		{500, "500", "Internal Server Error"},
		{500, "500 ", "Internal Server Error"},
		{599, "599", ""},
	} {
		if got := statusText(&http.Response{StatusCode: tt.code, Status: tt.status}); got != tt.want {
			t.Errorf("statusText(%q) = %q, want %q", tt.status, got, tt.want)
		}
	}
}
