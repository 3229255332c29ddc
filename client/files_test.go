package client

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// TestFiles: the pages of a list are one list, over either transport, and a list without
// an end is refused.
func TestFiles(t *testing.T) {
	for name, start := range transports {
		t.Run(name, func(t *testing.T) {
			next := []string{`,"next":"a"`, ""}
			f := start(t, func(a asked) reply {
				i := 0
				if a.body["cursor"] == "a" {
					i = 1
				}
				return reply{body: fmt.Sprintf(`{"files":[{"path":"f%d","size":1,"modified":"2026-01-01T00:00:00Z"}]%s}`, i, next[i])}
			})
			c := connect(t, f)
			list, err := c.Files(t.Context(), "ann", "dir/")
			if err != nil || len(list) != 2 || list[0].Path != "f0" || list[1].Path != "f1" {
				t.Errorf("Files = %v, %v", list, err)
			}
			if a := f.last(); a.op != "files.list" || a.body["user"] != "ann" || name == "nats" && a.body["path"] != "dir" {
				t.Errorf("the request was %+v", a)
			}
			next[1] = next[0]
			if _, err := c.Files(t.Context(), "", "dir"); err == nil {
				t.Error("a list without an end was read")
			}
		})
	}
}

// TestFileContents: contents go over HTTP as they are, and their path is escaped.
func TestFileContents(t *testing.T) {
	var seen []string
	stored := map[string]string{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		seen = append(seen, r.Method+" "+r.URL.RequestURI())
		switch r.Method {
		case http.MethodPut:
			stored[r.URL.Path] = string(body)
			w.WriteHeader(http.StatusCreated)
		case http.MethodDelete:
			w.WriteHeader(http.StatusNoContent)
		default:
			text, ok := stored[r.URL.Path]
			if !ok {
				w.WriteHeader(http.StatusNotFound)
				text = `{"error_type":"not_found","detail":"File not found"}`
			}
			_, _ = io.WriteString(w, text)
		}
	}))
	defer srv.Close()
	c, err := New(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var got strings.Builder
	if err := errors.Join(
		c.PutFile(t.Context(), "ann", "a b/ä?.txt", strings.NewReader("contents")),
		c.GetFile(t.Context(), "ann", "a b/ä?.txt", &got),
		c.DeleteFile(t.Context(), "", "x/y"),
	); err != nil {
		t.Fatal(err)
	}
	want := []string{"PUT /v1/files/a%20b/%C3%A4%3F.txt?user=ann", "GET /v1/files/a%20b/%C3%A4%3F.txt?user=ann", "DELETE /v1/files/x/y"}
	if got.String() != "contents" || !slices.Equal(seen, want) {
		t.Errorf("got %q by %q, want %q", got.String(), seen, want)
	}
	var e *RequestError
	if err := c.GetFile(t.Context(), "", "none", &got); !errors.As(err, &e) || e.Type != NotFound {
		t.Errorf("a missing file: %v", err)
	}
	n := len(seen)
	for _, path := range []string{"", "dir/"} {
		if c.GetFile(t.Context(), "", path, &got) == nil || c.PutFile(t.Context(), "", path, strings.NewReader("")) == nil {
			t.Errorf("%q is taken as a file", path)
		}
	}
	if c.DeleteFile(t.Context(), "", "/") == nil || len(seen) != n {
		t.Error("a request without a file was sent")
	}
	over := connect(t, farNATS(t, func(asked) reply { return reply{body: "{}"} }))
	if err := over.GetFile(t.Context(), "", "a", &got); err == nil || !strings.Contains(err.Error(), "over HTTP only") {
		t.Errorf("contents over NATS: %v", err)
	}
}
