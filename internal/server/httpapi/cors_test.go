package httpapi

import (
	"net/http"
	"strings"
	"testing"
)

const pageOrigin = "https://app.example"

// asks returns the headers of a preflight.
func asks(origin, headers string) []string {
	return []string{"Origin: " + origin, "Access-Control-Request-Method: POST", "Access-Control-Request-Headers: " + headers}
}

// silent checks that a browser is told nothing.
func silent(t *testing.T, what string, r reply) {
	t.Helper()
	for name := range r.header {
		if strings.HasPrefix(name, "Access-Control-") {
			t.Errorf("%s is answered with %s: %s", what, name, r.header.Get(name))
		}
	}
}

func TestNoForeignPagesUnlessConfigured(t *testing.T) {
	s := serve(t, &calls{execute: echo}, Options{})
	r := s.send(http.MethodOptions, "/v1/execute", "", asks(pageOrigin, "authorization")...)
	silent(t, "a preflight", r)
	s.wantProblem(r, 405, "bad_request", "use POST")
	r = s.send(http.MethodGet, "/v1/groups", "", "Origin: "+pageOrigin)
	silent(t, "a page that reads", r)
	if vary := r.header.Get("Vary"); strings.Contains(vary, "Origin") {
		t.Errorf("an answer that depends on no origin has Vary %q", vary)
	}
	r = s.send(http.MethodPost, "/v1/execute", `{"calls":[{"tool":"a","arguments":{}}]}`, "Origin: "+pageOrigin)
	silent(t, "a page that writes", r)
	s.wantProblem(r, 403, "forbidden", "may not change anything here")
}

func TestForeignPagesThatMay(t *testing.T) {
	s := serve(t, &calls{execute: echo}, Options{AllowedOrigins: []string{"HTTPS://App.Example:443", "http://localhost:3000"}})
	for _, origin := range []string{pageOrigin, "http://localhost:3000"} {
		r := s.send(http.MethodOptions, "/v1/execute", "",
			asks(origin, "authorization, Content-Type,helve-tenant,last-event-id, traceparent, x-secret, mcp-protocol-version")...)
		if r.status != http.StatusNoContent || r.body != "" || r.header.Get("Access-Control-Allow-Origin") != origin ||
			r.header.Get("Vary") != "Origin" {
			t.Errorf("the preflight of %s = %d %s %v", origin, r.status, r.body, r.header)
		}
		if got, want := r.header.Get("Access-Control-Allow-Headers"),
			"authorization, content-type, helve-tenant, last-event-id, traceparent, mcp-protocol-version"; got != want {
			t.Errorf("the preflight of %s allows the headers %q, want %q", origin, got, want)
		}
		if got := r.header.Get("Access-Control-Allow-Methods"); got != "GET, HEAD, POST, PUT, DELETE" {
			t.Errorf("the preflight of %s allows the methods %q", origin, got)
		}
		r = s.send(http.MethodPost, "/v1/execute", `{"calls":[{"tool":"a","arguments":{}}]}`, "Origin: "+origin)
		if r.status != 200 || r.header.Get("Access-Control-Allow-Origin") != origin ||
			!strings.Contains(r.header.Get("Access-Control-Expose-Headers"), "Retry-After") {
			t.Errorf("execute from %s = %d %s %v", origin, r.status, r.body, r.header)
		}
		if got := r.header.Get("Access-Control-Allow-Credentials"); got != "" {
			t.Errorf("execute from %s allows credentials: %q", origin, got)
		}
	}
	// A problem must be readable to the page too, or it cannot tell what is wrong.
	r := s.send(http.MethodGet, "/v1/tools/nope", "", "Origin: "+pageOrigin)
	s.wantProblem(r, 404, "not_found", "no tool")
	if r.header.Get("Access-Control-Allow-Origin") != pageOrigin {
		t.Errorf("a problem has the headers %v", r.header)
	}
	// An OPTIONS that is no preflight is a wrong method like any other.
	s.wantProblem(s.send(http.MethodOptions, "/v1/execute", "", "Origin: "+pageOrigin), 405, "bad_request", "use POST")
}

func TestOriginsAreExact(t *testing.T) {
	s := serve(t, &calls{execute: echo}, Options{AllowedOrigins: []string{pageOrigin}})
	for _, origin := range []string{
		"null", "https://app.example:8443", "https://app.example:443", "http://app.example", "https://APP.example", "https://app.example.",
		"https://app.example/", "https://app.example.evil.example", "https://evilapp.example", "https://sub.app.example",
		"https://user@app.example",
		"app.example", "//app.example", "*", "https://*", "https://app.example https://evil.example", "https://app.example,https://evil.example",
	} {
		r := s.send(http.MethodOptions, "/v1/execute", "", asks(origin, "authorization")...)
		silent(t, "the preflight of "+origin, r)
		s.wantProblem(r, 405, "bad_request", "use POST")
		r = s.send(http.MethodPost, "/v1/execute", `{"calls":[{"tool":"a","arguments":{}}]}`, "Origin: "+origin)
		silent(t, "execute from "+origin, r)
		s.wantProblem(r, 403, "forbidden", "")
		if r.header.Get("Vary") != "Origin" {
			t.Errorf("what is said to %s may be told to others: Vary %q", origin, r.header.Get("Vary"))
		}
	}
}

// The host must be ours whatever the origin: the list names pages, not servers.
func TestAllowedOriginUnderAForeignHost(t *testing.T) {
	s := serve(t, &calls{execute: echo}, Options{AllowedOrigins: []string{pageOrigin}})
	s.wantProblem(s.send(http.MethodPost, "/v1/execute", `{}`, "Origin: "+pageOrigin, "Host: app.example"), 403, "forbidden", "the host")
}
