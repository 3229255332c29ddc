package main

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestGuard: who is not logged in, or is sent by another site, gets nothing.
func TestGuard(t *testing.T) {
	url, stop := startWeb(t, serveModel(t), t.TempDir())
	defer stop()
	gus, nobody := logIn(t, url, "gus"), &visitor{t: t, url: url}
	forged := &visitor{t: t, url: url, cookie: &http.Cookie{Name: cookieName, Value: "gus"}}
	from := func(name, value string) http.Header { return http.Header{name: {value}} }
	hello, grant := map[string]string{"text": "hello"}, map[string]string{"decision": "grant"}
	for name, tt := range map[string]struct {
		who    *visitor
		path   string
		body   any
		header http.Header
		want   int
	}{
		"no session":           {nobody, "say", hello, nil, http.StatusUnauthorized},
		"a forged one":         {forged, "say", hello, nil, http.StatusUnauthorized},
		"a decision":           {nobody, "helve/v1/consents/c-x/decision", grant, nil, http.StatusUnauthorized},
		"another site":         {gus, "say", hello, from("Origin", "https://evil.example"), http.StatusForbidden},
		"another site's form":  {gus, "helve/v1/consents/c-x/decision", grant, from("Sec-Fetch-Site", "cross-site"), http.StatusForbidden},
		"another site's login": {nobody, "login", map[string]string{"name": "gus"}, from("Origin", "https://evil.example"), http.StatusForbidden},
		"a foreign name":       {gus, "say", hello, from("Host", "evil.example:8081"), http.StatusMisdirectedRequest},
		"a form":               {gus, "say", hello, from("Content-Type", "text/plain"), http.StatusUnsupportedMediaType},
		"nothing to say":       {gus, "say", map[string]string{"text": " "}, nil, http.StatusBadRequest},
		"too much":             {gus, "say", map[string]string{"text": strings.Repeat("x", 1<<17)}, nil, http.StatusBadRequest},
		"no name":              {nobody, "login", map[string]string{"name": "../gus"}, nil, http.StatusBadRequest},
		"no consent's id":      {gus, "helve/v1/consents/..%2Fx/decision", grant, nil, http.StatusNotFound},
	} {
		said := tt.who.post(tt.path, tt.body, tt.header)
		if said.status != tt.want {
			t.Errorf("%s: %d %s, want %d", name, said.status, said.text, tt.want)
		}
		if policy := said.header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'; script-src 'self';") ||
			strings.Contains(policy, "unsafe") {
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

// TestScript: nothing in the page makes markup of a text, and no part comes from elsewhere.
func TestScript(t *testing.T) {
	var files []string
	const shared = "../../console/src/"
	for _, pattern := range []string{
		"page-src/*", "page/index.html", shared + "consent/*.*", shared + "components/*.*", shared + "components/*/*.*",
	} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v, %v", pattern, found, err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if bad := regexp.MustCompile(
			`[iI]nnerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|\son\w+="|["\'(]javascript:|https?://[a-z]`,
		).Find(text); bad != nil {
			t.Errorf("%s has %q", file, bad)
		}
	}
}
