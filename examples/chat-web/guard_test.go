package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/helve-dev/helve/client"
)

// TestGuard: who is not logged in, or is sent by another site, gets nothing.
func TestGuard(t *testing.T) {
	url, stop := startWeb(t, serveModel(t), t.TempDir())
	defer stop()
	gus, nobody := logIn(t, url, "gus"), &visitor{t: t, url: url}
	forged := &visitor{t: t, url: url, cookie: &http.Cookie{Name: cookieName, Value: "gus"}}
	from := func(name, value string) http.Header { return http.Header{name: {value}} }
	hello := map[string]string{"text": "hello"}
	for name, tt := range map[string]struct {
		who    *visitor
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

// TestOthers: what is one person's, another may neither see nor change.
func TestOthers(t *testing.T) {
	url, stop := startWeb(t, serveModel(t), t.TempDir())
	defer stop()
	mia, ned, nobody := logIn(t, url, person("mia")), logIn(t, url, person("ned")), &visitor{t: t, url: url}
	mia.say("guard of-mia")
	asked := mia.card(1)
	if said := mia.post("decide", map[string]any{"consent": asked.ID, "grant": true, "remember": "session"}, nil); said.status != http.StatusNoContent {
		t.Fatalf("mia grants: %+v", said)
	}
	mia.sees("result", "written")
	var kept struct{ Grants []client.Grant }
	if err := json.Unmarshal([]byte(mia.get("grants").text), &kept); err != nil || len(kept.Grants) != 1 {
		t.Fatalf("mia's remembered answers are %+v, %v", kept, err)
	}
	grant := map[string]string{"grant": kept.Grants[0].ID}
	if said := mia.get("call?id=" + asked.Call.CallID); !strings.Contains(said.text, `"key":"of-mia"`) {
		t.Errorf("mia's call = %+v, want its arguments", said)
	}
	for _, path := range []string{"consent?id=" + asked.ID, "call?id=" + asked.Call.CallID, "consent?id=../x", "call?id=", "tool?name=no.such"} {
		if said := ned.get(path); said.status != http.StatusNotFound {
			t.Errorf("ned gets %s: %+v, want 404", path, said)
		}
		if said := nobody.get(path); said.status != http.StatusUnauthorized {
			t.Errorf("nobody gets %s: %+v, want 401", path, said)
		}
	}
	if said := ned.get("grants"); strings.Contains(said.text, kept.Grants[0].ID) {
		t.Errorf("ned's remembered answers are %s", said.text)
	}
	if said := ned.post("forget", grant, nil); said.status != http.StatusNotFound {
		t.Errorf("ned forgets mia's answer: %+v, want 404", said)
	}
	mia.say("guard of-mia-again") // the answer still holds
	eventually(t, "the second call of mia's", func() bool { return len(ledger(t, mia.name)) == 2 })
	if said := mia.post("forget", grant, nil); said.status != http.StatusNoContent {
		t.Errorf("mia forgets: %+v", said)
	}
	if said := mia.post("forget", grant, nil); said.status != http.StatusNotFound {
		t.Errorf("mia forgets twice: %+v, want 404", said)
	}
}

// TestScript: nothing in the page makes markup of a text, and no part comes from elsewhere.
func TestScript(t *testing.T) {
	var files []string
	for _, pattern := range []string{"page-src/*", "page/index.html", "../../console/src/consent/*", "../../console/src/components/*"} {
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
		if bad := regexp.MustCompile(`[iI]nnerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|\son\w+="|["\'(]javascript:|https?://[a-z]`).Find(text); bad != nil {
			t.Errorf("%s has %q", file, bad)
		}
	}
}
