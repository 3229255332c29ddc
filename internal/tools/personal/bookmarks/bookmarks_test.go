package bookmarks

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestDefinitions(t *testing.T) { tooltest.Golden(t, Set) }

// pages answers requests with the page of a URL; other URLs cannot be reached.
func pages(all map[string]string) tooltest.Doer {
	return func(req *http.Request) (*http.Response, error) {
		body, ok := all[req.URL.String()]
		if !ok {
			return nil, errors.New("no such host")
		}
		return &http.Response{
			StatusCode: http.StatusOK,
			Header:     http.Header{"Content-Type": {"text/html; charset=utf-8"}},
			Body:       io.NopCloser(strings.NewReader(body)),
		}, nil
	}
}

// ann returns a call of ann's, over an empty store and a web of one page.
func ann(t *testing.T) tool.Call {
	t.Helper()
	return tool.Call{
		User:  "ann",
		Store: tooltest.NewStore(t),
		HTTP:  pages(map[string]string{"https://go.dev/": "<html><head><title>The Go\n Language</title>"}),
	}
}

// play makes a call that must succeed, and decodes its result.
func play[T any](t *testing.T, call tool.Call, name, args string) T {
	t.Helper()
	var out T
	for _, tl := range Set.Tools() {
		if tl.Name != name {
			continue
		}
		res, err := tooltest.Play(t.Context(), tl, call, args)
		if err != nil {
			t.Fatalf("%s(%.200s): %v", name, args, err)
		}
		if err := json.Unmarshal(res.Value, &out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	t.Fatalf("there is no tool %s", name)
	return out
}

// add adds a bookmark and returns its id.
func add(t *testing.T, call tool.Call, args string) string {
	t.Helper()
	return play[one](t, call, "add_bookmark", args).Bookmark.ID
}

func TestInput(t *testing.T) {
	for text, want := range map[string]string{
		" https://example.com/a b?q=1 ": "https://example.com/a b?q=1", "http://[::1]:8080/": "http://[::1]:8080/",
		"mailto:a@example.com": "mailto:a@example.com",
		"file:///home/x":       "file:///home/x", "HTTPS://EXAMPLE.com": "HTTPS://EXAMPLE.com",
		"https://xn--bcher-kva.example/": "https://xn--bcher-kva.example/", "https://bücher.example/ש": "https://bücher.example/ש",
	} {
		if v, err := (Input{URL: text}).Bookmark(); err != nil || v.URL != want {
			t.Errorf("%q is stored as %q, %v, want %q", text, v.URL, err, want)
		}
	}
	for text, want := range map[string]string{
		"": "url is missing", " ": "url is missing", "example.com": "full address", "/page": "full address", "https://": "",
		"https:///x": "no host", "http:x": "no host", "javascript:alert(1)": "code", "JavaScript:alert(1)": "code",
		"data:text/html,x": "code", "https://a\nb/": "full address", "https://x/" + strings.Repeat("x", maxURL): "full address",
		":": "full address",
	} {
		_, err := Input{URL: text}.Bookmark()
		if e := tool.AsError(err); e == nil || e.Kind != tool.ValidationError || !strings.Contains(e.Msg, want) {
			t.Errorf("%.40q: %v, want a validation_error with %q", text, err, want)
		}
	}
	long := strings.Repeat("x", 900_001)
	for _, in := range []Input{{Title: long}, {Description: long}, {Category: long}, {Tags: []string{long}}} {
		in.URL = "https://example.com/"
		if _, err := in.Bookmark(); tool.AsError(err) == nil {
			t.Error("a text of 900,001 bytes is accepted")
		}
	}
	v, err := Input{URL: "https://example.com/", Tags: []string{"b", "a", "b", " "}}.Bookmark()
	if diff := cmp.Diff([]string{"b", "a"}, v.Tags); diff != "" || err != nil {
		t.Errorf("tags, %v (-want +got):\n%s", err, diff)
	}
}
