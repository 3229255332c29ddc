package main

import (
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestGuard: who is not logged in, or is sent by another site, gets nothing.
func TestGuard(t *testing.T) {
	url, stop := startWeb(t, serveModel(t), t.TempDir())
	defer stop()
	gus, nobody := logIn(t, url, "gus"), &browser{t: t, url: url}
	forged := &browser{t: t, url: url, cookie: &http.Cookie{Name: cookieName, Value: "gus"}}
	from := func(name, value string) http.Header { return http.Header{name: {value}} }
	hello := map[string]string{"text": "hello"}
	for name, tt := range map[string]struct {
		who    *browser
		path   string
		body   any
		header http.Header
		want   int
	}{
		"no session":           {nobody, "say", hello, nil, http.StatusUnauthorized},
		"a forged one":         {forged, "say", hello, nil, http.StatusUnauthorized},
		"a decision":           {nobody, "decide", map[string]any{"consent": "c-x", "grant": true}, nil, http.StatusUnauthorized},
		"another site":         {gus, "say", hello, from("Origin", "https://evil.example"), http.StatusForbidden},
		"another site's form":  {gus, "decide", map[string]any{"consent": "c-x"}, from("Sec-Fetch-Site", "cross-site"), http.StatusForbidden},
		"another site's login": {nobody, "login", map[string]string{"name": "gus"}, from("Origin", "https://evil.example"), http.StatusForbidden},
		"a foreign name":       {gus, "say", hello, from("Host", "evil.example:8081"), http.StatusMisdirectedRequest},
		"a form":               {gus, "say", hello, from("Content-Type", "text/plain"), http.StatusUnsupportedMediaType},
		"nothing to say":       {gus, "say", map[string]string{"text": " "}, nil, http.StatusBadRequest},
		"too much":             {gus, "say", map[string]string{"text": strings.Repeat("x", 1<<17)}, nil, http.StatusBadRequest},
		"no name":              {nobody, "login", map[string]string{"name": "../gus"}, nil, http.StatusBadRequest},
		"no consent's id":      {gus, "decide", map[string]any{"consent": "../x", "grant": true}, nil, http.StatusNotFound},
	} {
		said := tt.who.post(tt.path, tt.body, tt.header)
		if said.status != tt.want {
			t.Errorf("%s: %d %s, want %d", name, said.status, said.text, tt.want)
		}
		if policy := said.header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'; script-src 'self';") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: the policy is %q", name, policy)
		}
	}
	if said := nobody.get("events"); said.status != http.StatusUnauthorized {
		t.Errorf("events of nobody = %+v", said)
	}
	if strings.Contains(gus.sent(), "hello") {
		t.Errorf("gus was sent %q although nothing was taken", gus.sent())
	}
}

// TestScript: nothing in the page makes markup of a text.
func TestScript(t *testing.T) {
	for _, file := range []string{"page/chat.js", "page/markdown.js", "page/index.html"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if bad := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|\son\w+="|javascript:`).Find(text); bad != nil {
			t.Errorf("%s has %q; use textContent", file, bad)
		}
	}
}
