package httpapi

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/server/signin"
)

// pageRequest returns a request of a page of localhost, with headers given as "Name: value".
func pageRequest(method, host string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, "http://"+host+"/v1/me", nil)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Add(name, value)
	}
	return r
}

// TestSessionCounts: a cookie is a session only in a request that nobody else has made the
// browser send, and beside no credential.
func TestSessionCounts(t *testing.T) {
	h := &handler{Options: Options{SignIn: &signin.Service{}}}
	page := "Helve-Console: " + strings.Repeat("p", 64)
	const plain, on8080, secure = "Cookie: helve_session_80=x", "Cookie: helve_session_8080=x", "Cookie: __Host-helve_session=x"
	for _, tt := range []struct {
		host    string
		headers []string
		want    bool
	}{
		{"localhost:8080", []string{on8080}, true}, {"127.0.0.1", []string{plain}, true}, {"[::1]:8080", []string{on8080}, true},
		{"a.localhost", []string{plain}, true},
		{"localhost:8080", []string{plain}, false}, {"localhost", []string{on8080}, false},
		{"localhost", []string{"Cookie: helve_session=x"}, false},
		{"localhost", []string{plain, "Sec-Fetch-Site: same-origin"}, true}, {"localhost", []string{plain, "Sec-Fetch-Site: none"}, true},
		{"localhost", []string{plain, "Sec-Fetch-Site: same-site"}, false}, {"localhost", []string{plain, "Sec-Fetch-Site: cross-site"}, false},
		{"localhost", []string{plain, "Sec-Fetch-Site: other"}, false},
		{"localhost", []string{secure}, false}, {"helve.example", []string{plain}, false}, {"helve.example", []string{secure}, true},
		{"10.0.0.1:8080", []string{secure}, true},
		{"localhost.evil.example", []string{plain}, false}, {"localhost", []string{plain, "Authorization: Bearer x"}, false},
		{"localhost", []string{plain, "Authorization: "}, false},
		{"localhost", []string{"Cookie: helve_session_80=x; helve_session_80=y"}, false},
		{"localhost", []string{plain, "Cookie: helve_session_80=y"}, false}, {"localhost", nil, false},
	} {
		got, ok := h.session(pageRequest(http.MethodGet, tt.host, append(tt.headers, page)...))
		if ok != tt.want || ok && (got.Cookie != "x" || got.Page != strings.Repeat("p", 64)) {
			t.Errorf("%s with %q has the session %q, want one: %v", tt.host, tt.headers, got, tt.want)
		}
	}
	over := pageRequest(http.MethodGet, "localhost", plain, page)
	over.TLS = &tls.ConnectionState{}
	if _, ok := h.session(over); ok {
		t.Error("over TLS a cookie without the prefix counts")
	}
	h.SignIn = nil
	if _, ok := h.session(pageRequest(http.MethodGet, "localhost", plain, page)); ok {
		t.Error("a cookie counts where nobody signs in")
	}
}

// TestFromPage: a change needs the header and the origin of this host; reading needs none.
func TestFromPage(t *testing.T) {
	const ours = "Origin: http://localhost:8080"
	header := "Helve-Console: " + strings.Repeat("p", 64)
	for _, tt := range []struct {
		method  string
		headers []string
		want    bool
	}{
		{http.MethodGet, nil, true}, {http.MethodHead, nil, true}, {http.MethodPost, []string{ours, header}, true},
		{http.MethodDelete, []string{ours, header}, true}, {http.MethodPost, []string{ours}, false}, {http.MethodPost, []string{header}, false},
		{http.MethodPut, nil, false}, {"PURGE", nil, false}, {http.MethodPost, []string{header, "Origin: http://localhost:8081"}, false},
		{http.MethodPost, []string{header, "Origin: null"}, false}, {http.MethodPost, []string{header, ours, ours}, false},
		{http.MethodPost, []string{ours, "Helve-Console: 1"}, false}, {http.MethodPost, []string{ours, header, header}, false},
	} {
		if err := fromPage(pageRequest(tt.method, "localhost:8080", tt.headers...)); (err == nil) != tt.want {
			t.Errorf("%s with %q: %v, want it to be taken: %v", tt.method, tt.headers, err, tt.want)
		}
	}
}

func TestCookies(t *testing.T) {
	for host, want := range map[string]string{
		"localhost":     "helve_session_80=v; Path=/; Max-Age=60; HttpOnly; SameSite=Strict",
		"[::1]:8080":    "helve_session_8080=v; Path=/; Max-Age=60; HttpOnly; SameSite=Strict",
		"helve.example": "__Host-helve_session=v; Path=/; Max-Age=60; HttpOnly; Secure; SameSite=Strict",
	} {
		w := httptest.NewRecorder()
		setCookie(w, pageRequest(http.MethodGet, host), sessionCookie, "v", time.Minute)
		if got := w.Header().Get("Set-Cookie"); got != want {
			t.Errorf("%s gets %s, want %s", host, got, want)
		}
		w = httptest.NewRecorder()
		setCookie(w, pageRequest(http.MethodGet, host), sessionCookie, "", 0)
		if got := w.Header().Get("Set-Cookie"); !strings.Contains(got, "; Max-Age=0;") || strings.Contains(got, "=v") {
			t.Errorf("%s removes it with %s", host, got)
		}
	}
}
