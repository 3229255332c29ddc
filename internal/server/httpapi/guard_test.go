package httpapi

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/identity"
)

func TestForeignPages(t *testing.T) {
	s := serve(t, &calls{execute: echo, get: getCall}, Options{AllowedHosts: []string{"Helve.Example.", "named.example:8080"}})
	for _, tt := range []struct {
		host, origin string
		ok           bool
	}{
		{"", "", true},
		{"localhost", "", true},
		{"LOCALHOST:8080", "", true},
		{"app.localhost:8080", "", true},
		{"localhost.:8080", "", true},
		{"127.0.0.1:8080", "", true},
		{"10.1.2.3", "", true},
		{"[::1]:8080", "", true},
		{"[2001:db8::1]", "", true},
		{"helve.example", "", true},
		{"HELVE.example:443", "", true},
		{"named.example", "", true},
		{"evil.example", "", false},
		{"evil.example:8080", "", false},
		{"helve.example.evil.example", "", false},
		{"evilhelve.example", "", false},
		{"notlocalhost", "", false},
		{"127.0.0.1.evil.example", "", false},

		{"localhost:8080", "http://localhost:8080", true},
		{"localhost:8080", "http://LocalHost:8080", true},
		{"[::1]:8080", "http://[::1]:8080", true},
		{"helve.example", "https://helve.example", true},
		{"helve.example", "http://helve.example", true},
		{"helve.example:443", "https://helve.example", true},
		{"helve.example", "https://helve.example:443", true},
		{"localhost:8080", "http://localhost:3000", false},
		{"localhost:8080", "http://localhost", false},
		{"helve.example", "https://helve.example:8443", false},
		{"helve.example:80", "https://helve.example", false},
		{"localhost:8080", "http://127.0.0.1:8080", false},
		{"localhost:8080", "https://evil.example", false},
		{"evil.example", "https://evil.example", false},
		{"localhost:8080", "null", false},
		{"localhost:8080", "file://localhost:8080", false},
		{"localhost:8080", "chrome-extension://localhost:8080", false},
		{"localhost:8080", "http://", false},
		{"localhost:8080", "http://localhost:8080 http://evil", false},
		{"localhost:8080", "%", false},
	} {
		headers := []string{"Host: " + tt.host}
		if tt.host == "" {
			headers = nil
		}
		if tt.origin != "" {
			headers = append(headers, "Origin: "+tt.origin)
		}
		for _, change := range [][3]string{
			{"POST", "/v1/execute", `{"calls":[{"tool":"a","arguments":{}}]}`}, {"POST", "/v1/calls/c1/cancel", ""},
			{"PUT", "/v1/agents/a1", `{}`}, {"DELETE", "/v1/agents/a1", ""},
		} {
			r := s.send(change[0], change[1], change[2], headers...)
			if !tt.ok {
				s.wantProblem(r, 403, "forbidden", "not")
			} else if r.status != 200 {
				t.Errorf("%s %s to %q from %q = %d %s", change[0], change[1], tt.host, tt.origin, r.status, r.body)
			}
		}
		// Reading is closed to names that are not ours, which may point here only
		// since a moment ago; a browser keeps what it reads from other pages.
		named := tt.ok || tt.host != "" && !strings.Contains(tt.host, "evil") && tt.host != "notlocalhost"
		if r := s.send("GET", "/v1/groups", "", headers...); (r.status == 200) != named {
			t.Errorf("GET to %q from %q = %d %s, want it answered: %v", tt.host, tt.origin, r.status, r.body, named)
		}
	}
}

func TestEveryOriginCounts(t *testing.T) {
	s := serve(t, &calls{execute: echo}, Options{})
	req, err := http.NewRequest(http.MethodPost, s.URL+"/v1/execute", strings.NewReader(`{"calls":[{"tool":"a","arguments":{}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header["Origin"] = []string{s.URL, "https://evil.example"}
	resp, err := s.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if text, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusForbidden {
		t.Errorf("two origins, one foreign: %d %s", resp.StatusCode, text)
	}
}

// TestLocal keeps foreign pages from metrics and profiles; health is for everybody.
func TestLocal(t *testing.T) {
	h := Local([]string{"helve.example"},
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	for _, tt := range []struct {
		path, host, origin string
		want               int
	}{
		{"/metrics", "127.0.0.1:8080", "", 204},
		{"/metrics", "localhost", "http://localhost", 204},
		{"/metrics", "helve.example:80", "", 204},
		{"/metrics", "evil.example", "", 403},
		{"/debug/pprof/heap", "127.0.0.1", "https://evil.example", 403},
		{"/debug/pprof/heap", "127.0.0.1", "null", 403},
		{"/healthz", "evil.example", "", 204},
		{"/readyz", "probe", "https://evil.example", 204},
	} {
		r := httptest.NewRequest(http.MethodGet, tt.path, nil)
		r.Host = tt.host
		if tt.origin != "" {
			r.Header.Set("Origin", tt.origin)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != tt.want {
			t.Errorf("%s of %s from a page of %q = %d, want %d", tt.path, tt.host, tt.origin, w.Code, tt.want)
		}
	}
}

// TestForOperators: with authentication on, metrics and profiles need a credential with a role for
// them, on whatever address they are; health does not.
func TestForOperators(t *testing.T) {
	served := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	auditor := withKey(t, "", "", identity.Auditor)
	admin := withKey(t, "", "", identity.Admin)
	agent := withKey(t, "ann", "bot", identity.Agent, identity.User, identity.Approver)
	for _, tt := range []struct {
		auth                      keyed
		sent                      string
		metrics, profile, healthz int
	}{
		{auth: auditor, sent: auditor.bearer, metrics: 204, profile: 403, healthz: 204},
		{auth: admin, sent: admin.bearer, metrics: 204, profile: 204, healthz: 204},
		{auth: agent, sent: agent.bearer, metrics: 403, profile: 403, healthz: 204},
		{auth: agent, sent: admin.bearer, metrics: 401, profile: 401, healthz: 204}, // of another server
		{auth: agent, sent: "", metrics: 401, profile: 401, healthz: 204},
		{sent: "", metrics: 204, profile: 204, healthz: 204}, // no authentication
	} {
		h := ForOperators(tt.auth.Authenticator, served)
		for path, want := range map[string]int{
			"/metrics": tt.metrics, "/debug/pprof/heap": tt.profile, "/debug/pprof/": tt.profile, "/healthz": tt.healthz, "/readyz": tt.healthz,
		} {
			r := httptest.NewRequest(http.MethodGet, path, nil)
			if _, credential, ok := strings.Cut(tt.sent, ": "); ok {
				r.Header.Set("Authorization", credential)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != want || want == 401 && w.Header().Get("WWW-Authenticate") == "" {
				t.Errorf("%s with %.30q = %d %v, want %d", path, tt.sent, w.Code, w.Header(), want)
			}
		}
	}
}
