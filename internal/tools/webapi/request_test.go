package webapi

import (
	"testing"

	"github.com/helve-dev/helve/tool"
)

func TestNewRequestRefusesHeaders(t *testing.T) {
	for name, value := range map[string]string{
		"X-Evil":            "a\r\nHost: internal",
		"X-Line":            "a\nb",
		"X-Nul":             "a\x00b",
		"Bad Name":          "x",
		"Bad\r\nName":       "x",
		"":                  "x",
		"host":              "internal",
		"HOST":              "internal",
		"Content-Length":    "0",
		"Transfer-Encoding": "chunked",
		"connection":        "X-Key",
		"Upgrade":           "websocket",
		"TE":                "trailers",
		"Trailer":           "X",
		"Keep-Alive":        "1",
		"Proxy-Connection":  "x",
		"proxy-anything":    "x",
		"Expect":            "100-continue",
	} {
		_, err := newRequest(t.Context(), &httpRequestArgs{URL: "http://x", Headers: map[string]string{name: value}})
		if err == nil || tool.AsError(err).Kind != tool.ValidationError {
			t.Errorf("header %q: %q gave %v, want a validation_error", name, value, err)
		}
	}
}

func TestNewRequestSetsHeaders(t *testing.T) {
	req, err := newRequest(t.Context(), &httpRequestArgs{URL: "http://x", Body: "b", Headers: map[string]string{
		"accept": " text/plain ", "Accept-Encoding": "br", "Authorization": "Bearer é", "content-type": "text/csv",
	}})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"Accept": "text/plain", "Accept-Encoding": "", "Authorization": "Bearer é", "Content-Type": "text/csv", "User-Agent": "Helve",
	} {
		if got := req.Header.Get(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
}

func TestParseURL(t *testing.T) {
	for raw, want := range map[string]string{
		"http://x.example/a b?q=two words&c=%20+é": "http://x.example/a%20b?q=two%20words&c=%20+%C3%A9",
		"  HTTPS://X.example  ":                    "https://X.example",
		"http://x.example/?a={\"b\":[1]}":          "http://x.example/?a=%7B%22b%22:[1]%7D",
	} {
		u, err := parseURL(raw)
		if err != nil || u.String() != want {
			t.Errorf("parseURL(%q) = %v, %v, want %s", raw, u, err, want)
		}
	}
}
