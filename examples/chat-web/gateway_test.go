package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestKey: the key of the program goes to Helve and to no page, and what is the browser's
// does not go to Helve.
func TestKey(t *testing.T) {
	const key = "hk_of-the-program"
	t.Setenv("HELVE_TOKEN", key)
	type request struct {
		uri, body string
		header    http.Header
	}
	got, status := make(chan request, 10), http.StatusOK
	stub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- request{r.URL.RequestURI(), string(body), r.Header}
		w.Header().Set("Set-Cookie", "helve="+key)
		w.Header().Set("X-Key", r.Header.Get("Authorization"))
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, `{"consent_id":"c1","user":"pam"}`)
	}))
	defer stub.Close()
	data := t.TempDir()
	told, err := json.Marshal(kept{Told: []entry{{Kind: "tool", Call: "x1", Consent: "c1"}}})
	if err == nil {
		err = os.WriteFile(filepath.Join(data, fmt.Sprintf("%x.json", "pam")), told, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	url, stop := startWebAs(t, []string{"--data", data, "--server", stub.URL, "--model", "m", "--base-url", serveModel(t).Base()})
	defer stop()
	pam := logIn(t, url, "pam")
	own := http.Header{"Authorization": {"Bearer of-the-page"}, "Helve-Tenant": {"other"}, "Origin": {url}, "X-Forwarded-For": {"192.0.2.1"}}

	said := pam.whole(http.MethodGet, "helve/v1/grants?user=ned", nil, own)
	asked := <-got
	if said.status != http.StatusOK || len(said.cookies) != 0 || strings.Contains(strings.Join(said.header.Values("X-Key"), ""), key) {
		t.Errorf("the page gets %+v, want nothing of the key", said)
	}
	if asked.uri != "/v1/grants?by=pam&owner=pam&user=pam" || asked.header.Get("Authorization") != "Bearer "+key {
		t.Errorf("Helve gets %+v, want pam's list with the key", asked)
	}
	for _, name := range []string{"Cookie", "Helve-Tenant", "Origin", "X-Forwarded-For", "Referer"} {
		if asked.header.Get(name) != "" {
			t.Errorf("Helve gets %s: %s, which is the browser's", name, asked.header.Get(name))
		}
	}

	said = pam.post("helve/v1/consents/c1/decision", map[string]any{"decision": "deny", "comment": "no", "by": "ned", "agent": "a"}, own)
	if decided := <-got; said.status != http.StatusOK || decided.body != `{"comment":"no","context":{"user":"pam"},"decision":"deny"}` {
		t.Errorf("Helve gets %+v, the page %+v, want pam's decision", decided, said)
	}
	if said := pam.post("helve/v1/consents/c1/decision", strings.Repeat("x", maxDecision), nil); said.status != http.StatusNotFound {
		t.Errorf("a decision without an end = %+v", said)
	}

	status = http.StatusUnauthorized // for the key: the page is still signed in
	if said := pam.get("helve/v1/grants"); said.status != http.StatusServiceUnavailable ||
		!strings.Contains(said.text, `"error_type":"unavailable"`) {
		t.Errorf("with a refused key the page gets %+v, want 503", said)
	}
}
