package console

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/gzip"
)

// page is the text of the document in tests.
var page = "<!doctype html><title>Helve</title>" + strings.Repeat("<p>text</p>", 100)

func files() fstest.MapFS {
	return fstest.MapFS{
		"index.html": {Data: []byte(page)}, "favicon.svg": {Data: []byte("<svg/>")},
		"assets/app-8XK2LQ.js": {Data: []byte(strings.Repeat("console.log(1);\n", 100))}, "assets/app-1.css": {Data: []byte("a{}")},
	}
}

// reply is an answer as a browser gets it.
type reply struct {
	StatusCode int
	Header     http.Header
	Body       string
}

// ask sends a request to a console in front of a handler that answers 404.
func ask(t *testing.T, method, path string, headers ...string) reply {
	t.Helper()
	c, err := open(files())
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	c.Before(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "next", http.StatusNotFound) })).ServeHTTP(w, r)
	return reply{StatusCode: w.Code, Header: w.Header(), Body: w.Body.String()}
}

func TestPaths(t *testing.T) {
	for path, want := range map[string]bool{
		"/": true, "/consents/c-1": true, "/calls": true, "/calls/c1": true, "/traces/0af7": true, "/check/HelveSealLag": true, "/tools": true,
		"/tools/debug.echo": true, "/agents": true, "/custom-tools": true,
		"/upstream": true, "/fleet": true, "/dead": true, "/dead/7": true, "/audit": true, "/audit/a-1": true, "/policy": true, "/grants": true, "/services": true, "/check": true,
		"/login": true, "/login/oidc": true, "/login/callback": true, "/connect/c-1": true, "/connect/callback": true,
		"/schedules": true, "/schedules/ann.t1": true, "/files": true, "/data": true, "/files/a.txt": true, "/files/in/a.txt": true,
		"/conversations/k-1": true, "/conversations/k-1/c1": true,
		"/consents/": false, "/consents": false, "/calls/a/b": false, "/conversations": false, "/conversations/": false, "/files/": false, "/logout": false, "/index.html": false, "/nope": false,
		"/v1": false, "/v1/calls": false, "/v1/tools/x": false, "/mcp": false, "/metrics": false, "/healthz": false, "/openapi.json": false,
		"/assets": false, "/assets/": false, "/assets/gone.js": false, "/..": false,
	} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			resp := ask(t, method, path)
			got := resp.Body
			if (resp.StatusCode == http.StatusOK) != want || want && resp.Header.Get("Content-Type") != "text/html; charset=utf-8" {
				t.Errorf("%s %s = %d %v, want the document: %v", method, path, resp.StatusCode, resp.Header, want)
			}
			if want && (got == page) != (method == http.MethodGet) {
				t.Errorf("%s %s has the body %.100q", method, path, got)
			}
		}
		if resp := ask(t, http.MethodPost, path); resp.StatusCode != http.StatusNotFound {
			t.Errorf("POST %s = %d, want that it is handed on", path, resp.StatusCode)
		}
	}
}

// TestProtected: each answer has the headers that keep other sites out.
func TestProtected(t *testing.T) {
	for _, path := range []string{"/", "/login", "/assets/app-8XK2LQ.js", "/favicon.svg"} {
		resp := ask(t, http.MethodGet, path)
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "same-origin",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
		} {
			if got := resp.Header.Get(name); got != want {
				t.Errorf("%s has %s: %q, want %q", path, name, got, want)
			}
		}
		policy := "; " + resp.Header.Get("Content-Security-Policy") + ";"
		for _, want := range []string{
			"default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'",
			"connect-src 'self'",
		} {
			if !strings.Contains(policy, "; "+want+";") {
				t.Errorf("the policy of %s is %q, want %s", path, policy, want)
			}
		}
		if strings.Contains(policy, "unsafe") || strings.Contains(policy, "*") || strings.Contains(policy, "http") {
			t.Errorf("the policy of %s is %q", path, policy)
		}
	}
}

func TestCaching(t *testing.T) {
	asset, doc := ask(t, http.MethodGet, "/assets/app-8XK2LQ.js"), ask(t, http.MethodGet, "/calls")
	if got := asset.Header.Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
		t.Errorf("an asset has %q", got)
	}
	if got := doc.Header.Get("Cache-Control"); got != "no-cache" {
		t.Errorf("the document has %q", got)
	}
	if other := ask(t, http.MethodGet, "/").Header.Get("ETag"); other != doc.Header.Get("ETag") || other == "" ||
		other == asset.Header.Get("ETag") {
		t.Errorf("the tags are %q, %q and %q", other, doc.Header.Get("ETag"), asset.Header.Get("ETag"))
	}
	for _, match := range []string{
		doc.Header.Get("ETag"), strings.TrimPrefix(doc.Header.Get("ETag"), "W/"), `"x", ` + doc.Header.Get("ETag"), "*",
	} {
		resp := ask(t, http.MethodGet, "/", "If-None-Match: "+match)
		if resp.StatusCode != http.StatusNotModified || resp.Body != "" || resp.Header.Get("Content-Security-Policy") == "" {
			t.Errorf("If-None-Match %s = %d", match, resp.StatusCode)
		}
	}
	if resp := ask(t, http.MethodGet, "/", `If-None-Match: "other"`); resp.StatusCode != http.StatusOK {
		t.Errorf("another tag = %d", resp.StatusCode)
	}
}

func TestCompression(t *testing.T) {
	for accept, want := range map[string]string{
		"gzip, deflate, br": "gzip", "GZIP": "gzip", "br;q=1, gzip;q=0.5": "gzip", "gzip;q=0.05": "gzip",
		"": "", "br": "", "gzip;q=0": "", "gzip; q=0.00": "", "gzipped": "", "*": "",
	} {
		resp := ask(t, http.MethodGet, "/", "Accept-Encoding: "+accept)
		if got := resp.Header.Get("Content-Encoding"); got != want || resp.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("Accept-Encoding %q gives %q, headers %v", accept, got, resp.Header)
			continue
		}
		var text io.Reader = strings.NewReader(resp.Body)
		if want != "" {
			if len(resp.Body) >= len(page) {
				t.Errorf("compressed it has %d bytes of %d", len(resp.Body), len(page))
			}
			z, err := gzip.NewReader(text)
			if err != nil {
				t.Fatal(err)
			}
			text = z
		}
		if got, err := io.ReadAll(text); err != nil || string(got) != page {
			t.Errorf("Accept-Encoding %q: %.80q, %v", accept, got, err)
		}
	}
	if resp := ask(t, http.MethodGet, "/assets/app-1.css", "Accept-Encoding: gzip"); resp.Header.Get("Content-Encoding") != "" {
		t.Error("a file that compression makes larger is compressed")
	}
}

// TestEmbedded: what is embedded is a console, and other folders are refused.
func TestEmbedded(t *testing.T) {
	c, err := New()
	if err != nil {
		t.Fatal(err)
	}
	if doc := string(c.files[document].body); strings.Contains(doc, "<style") || strings.Contains(doc, " style=") ||
		strings.Contains(doc, "<script>") {
		t.Errorf("the policy would refuse a part of %s", doc)
	}
	without := files()
	delete(without, "index.html")
	if _, err := open(without); err == nil {
		t.Error("a console without its document is served")
	}
	strange := files()
	strange["program.exe"] = &fstest.MapFile{Data: []byte("x")}
	if _, err := open(strange); err == nil {
		t.Error("a file of an unknown kind is served")
	}
}

// TestNoPage: a browser that opens an address which nobody has gets the document with the status
// 404; programs, and addresses of the API, get the answer of the next handler.
func TestNoPage(t *testing.T) {
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		resp := ask(t, method, "/unknown", "Accept: text/html,*/*", "If-None-Match: *")
		if resp.StatusCode != http.StatusNotFound || method == http.MethodGet && resp.Body != page {
			t.Errorf("%s = %d %.60s, want the document with 404", method, resp.StatusCode, resp.Body)
		}
		if h := resp.Header; h.Get("Content-Security-Policy") != policy || h.Get("ETag") != "" || h.Get("Content-Type") != kinds[".html"] {
			t.Errorf("%s has the headers %v", method, h)
		}
	}
	for _, tt := range []struct{ method, path, accept string }{
		{http.MethodGet, "/unknown", "*/*"}, {http.MethodGet, "/v1/unknown", "text/html"}, {http.MethodPost, "/unknown", "text/html"},
	} {
		if resp := ask(t, tt.method, tt.path, "Accept: "+tt.accept); resp.StatusCode != http.StatusNotFound || resp.Body != "next\n" {
			t.Errorf("%v = %d %.60s, want the answer of the next handler", tt, resp.StatusCode, resp.Body)
		}
	}
	c, err := open(files())
	if err != nil {
		t.Fatal(err)
	}
	for _, status := range []int{http.StatusOK, http.StatusMethodNotAllowed} {
		next := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Allow", "POST")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, "next")
		})
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/mcp", nil)
		r.Header.Set("Accept", "text/html")
		w := httptest.NewRecorder()
		if c.Before(next).ServeHTTP(w, r); w.Code != status || w.Body.String() != "next" || w.Header().Get("Allow") != "POST" {
			t.Errorf("an answer with %d became %d %s %v", status, w.Code, w.Body, w.Header())
		}
	}
}
