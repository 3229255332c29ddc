package gate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/identity/token"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// TestHostsThatAreShown checks the hosts of a lasting grant that the person is shown.
func TestHostsThatAreShown(t *testing.T) {
	for arguments, want := range map[string]string{
		`{"path":"a","url":"https://Example.com/x?y"}`:               "example.com",
		`{"path":"a","url":"http://example.com:8080/"}`:              "example.com:8080",
		`{"path":"a","url":"https://bücher.example/"}`:               "xn--bcher-kva.example",
		`{"path":"a","url":"http://[2606:4700::1111]:81/"}`:          "[2606:4700::1111]:81",
		`{"path":"https://evil.example/","url":"https://a.example"}`: "a.example",
		`{"path":"a","url":" https://example.com"}`:                  "none.invalid",
		`{"path":"a","url":"example.com"}`:                           "none.invalid",
		`{"path":"a"}`:                                               "",
	} {
		w := holding(t)
		w.run(job("fetch", arguments))
		if len(w.parked) != 1 || strings.Join(w.parked[0].Request.Hosts, " ") != want {
			t.Errorf("%s: parked %+v, want the hosts %q", arguments, w.parked, want)
		}
	}
	w := holding(t)
	w.run(job("medium", `{"path":"a","url":"https://example.com"}`))
	if len(w.parked) != 1 || w.parked[0].Request.Hosts != nil {
		t.Errorf("a tool that does not reach outward: %+v, want no hosts", w.parked)
	}
	w = holding(t)
	w.run(job("operation", `{"path":"a","url":"https://hooks.example"}`))
	if len(w.parked) != 1 || w.parked[0].Request.Hosts != nil {
		t.Errorf("an address that is data of an API: %+v, want no hosts", w.parked)
	}
}

// TestGrantReachesItsHosts checks that a grant covers only calls to its hosts, and that a
// person is asked about others.
func TestGrantReachesItsHosts(t *testing.T) {
	for url, kind := range map[string]string{
		"https://a.example/": "", "http://a.example:81/": "", "https://b.example:8443/": "", "http://[::1]:8080/": "",
		"https://b.example/": "parked", "https://b.example:444/": "parked", "https://c.example/": "parked",
		"https://a.example.evil.example/": "parked",
		"https://x.a.example/":            "parked", "http://[::1]:81/": "parked", "//a.example": "", "https:a.example": "parked",
	} {
		w := holding(t)
		w.grants[consent.Subject{Tool: "fetch"}] = protocol.Grant{
			ID:     "g1",
			By:     "u1",
			Scopes: &tool.Scopes{Hosts: []string{"a.example", "b.example:8443", "[::1]:8080"}},
		}
		out := w.run(job("fetch", `{"path":"a","url":"`+url+`"}`))
		if want(t, out, kind); t.Failed() {
			t.Fatalf("the grant and %s", url)
		}
	}
	w := holding(t)
	w.grants[consent.Subject{Tool: "fetch"}] = protocol.Grant{ID: "g1", By: "u1", Scopes: &tool.Scopes{Hosts: []string{"*"}}}
	want(t, w.run(job("fetch", `{"path":"a","url":"https://c.example"}`)), "")
}

// TestIgnoredParametersAreNamed checks that a person sees the parameters that the tool will
// not get.
func TestIgnoredParametersAreNamed(t *testing.T) {
	w := holding(t)
	w.run(job("locate", `{"path":"a","dry_run":true,"x\u202e":1}`))
	const sentence = `not parameters of the tool, so they are ignored: 'dry_run', 'x\u202e'`
	if len(w.parked) != 1 || !slices.Contains(w.parked[0].Request.Warnings, sentence) {
		t.Errorf("parked %+v, want the warning %s", w.parked, sentence)
	}
}

// TestScopesOfAnotherKind checks that a scope of a kind that does not apply to a tool of
// high risk does not count as a restriction.
func TestScopesOfAnotherKind(t *testing.T) {
	for _, tt := range []struct {
		scopes tool.Scopes
		kind   string
	}{
		{tool.Scopes{Paths: []string{"notes"}}, ""},
		{tool.Scopes{Hosts: []string{"example.com"}}, "permission_denied"},
		{tool.Scopes{Apps: []string{"org.example.Mail"}}, "permission_denied"},
		{tool.Scopes{Hosts: []string{"example.com"}, Paths: []string{"notes"}}, ""},
	} {
		w, j := holding(t), job("high", `{"path":"a"}`)
		j.Token = w.mint(func(c *token.Claims) { c.Scopes = &tt.scopes })
		want(t, w.run(j), tt.kind)

		// The same with a rule that narrows a tool without scopes of its own.
		w, j = holding(t), job("boundless", `{"path":"a"}`)
		j.Within = []tool.Scopes{tt.scopes}
		kind := "parked"
		if tt.kind != "" {
			kind = "policy_denied"
		}
		want(t, w.run(j), kind)
	}
}
