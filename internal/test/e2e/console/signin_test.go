package console

import (
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/internal/x/version"
	"github.com/helve-dev/helve/protocol"
)

// TestSignInWithKey: a person signs in at one dispatcher and is known to both, until they
// sign out at the other one.
func TestSignInWithKey(t *testing.T) {
	t.Parallel()
	p := newPeople(t, nil)
	b := newSession(t, p.System)
	r := b.send(0, http.MethodGet, "/v1/me", "")
	system.WantProblem(t, "me before", r, 401, "unauthenticated")
	if ways := system.Decode[protocol.Problem](t, r).SignIn; ways == nil || *ways != (protocol.SignIn{Key: true}) {
		t.Errorf("before signing in: %s", r.Body)
	}
	r = b.signIn(0, p.keys["ann"])
	if r.Status != http.StatusOK || strings.Contains(string(r.Body), "hk_") {
		t.Fatalf("POST /login = %d %s", r.Status, r.Body)
	}
	cookie := r.Header.Get("Set-Cookie")
	for _, want := range []string{sessionCookie(p.System) + "=", "; Path=/", "; HttpOnly", "; SameSite=Strict", "; Max-Age=86"} {
		if !strings.Contains(cookie, want) {
			t.Errorf("the cookie is %s, want %s", cookie, want)
		}
	}
	if strings.Contains(cookie, "Secure") || r.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("signing in has %v", r.Header)
	}
	told := system.Decode[protocol.Me](t, r)
	for dispatcher := range p.URLs {
		me, status := b.me(dispatcher)
		if status != 200 || me.User != "ann" || me.Tenant != "default" || me.Name != "laptop" || !me.Authenticated ||
			!slices.Equal(me.Roles, []string{"user", "agent"}) ||
			me.SignIn != (protocol.SignIn{Key: true}) || me.Version != version.String() || me.SessionEndsAt == nil ||
			!me.SessionEndsAt.Equal(*told.SessionEndsAt) {
			t.Errorf("me at dispatcher %d = %d %+v", dispatcher, status, me)
		}
	}
	trace := system.NewTrace()
	door := b.door(1)
	door.Client.Transport = with{door.Client.Transport, "Helve-Console", b.page}
	stream := door.Follow(t, "default", trace, "")
	if r := b.send(0, http.MethodPost, "/v1/execute", `{"trace_id": "`+trace+`", "calls": [`+system.EchoCall("1")+`]}`); r.Status != 200 {
		t.Errorf("a call = %d %s", r.Status, r.Body)
	}
	stream.Until("done")

	token := b.session()
	stolen := newSession(t, p.System)
	cookie = "Cookie: " + sessionCookie(p.System) + "=" + token
	for what, header := range map[string]string{
		"alone": "Helve-Console: ", "with the secret of other pages": "Helve-Console: " + stolen.page,
	} {
		if r := stolen.send(1, http.MethodGet, "/v1/me", "", cookie, header); r.Status != 401 {
			t.Errorf("the cookie %s = %d %s", what, r.Status, r.Body)
		}
	}
	if r := b.send(0, http.MethodPost, "/logout", ""); r.Status != http.StatusNoContent ||
		!strings.Contains(r.Header.Get("Set-Cookie"), sessionCookie(p.System)+"=; ") {
		t.Errorf("POST /logout = %d %v", r.Status, r.Header)
	}
	system.Await(t, "the stream of the session ends", func() {
		for stream.Scan.Scan() {
		}
	})
	for dispatcher := range p.URLs {
		if r := stolen.send(dispatcher, http.MethodGet, "/v1/me", "", cookie, "Helve-Console: "+b.page); r.Status != 401 {
			t.Errorf("the cookie after signing out, at dispatcher %d = %d %s", dispatcher, r.Status, r.Body)
		}
	}
	if r := b.send(1, http.MethodPost, "/logout", ""); r.Status != http.StatusNoContent {
		t.Errorf("signing out twice = %d %s", r.Status, r.Body)
	}
	if strings.Contains(p.Logs.String(), p.keys["ann"][len(p.keys["ann"])-30:]) || strings.Contains(p.Logs.String(), token[20:]) ||
		strings.Contains(p.Logs.String(), b.page) {
		t.Error("the log has a key or a session")
	}
	records, _ := system.QueryRecords(t, p.door(t, "eve"), "default", map[string]string{"phase": "session_changed"})
	if len(records) != 2 || records[0].Tool != "login" || records[1].Tool != "logout" || records[0].User != "ann" {
		t.Errorf("the trail has %+v, want one login and one logout", records)
	}
}

// TestSignInAgain: a browser that signs in as somebody else has one session.
func TestSignInAgain(t *testing.T) {
	t.Parallel()
	p := newPeople(t, nil)
	b := p.browser(t, "ann")
	first := b.session()
	if r := b.signIn(1, p.keys["bob"]); r.Status != 200 {
		t.Fatalf("signing in again = %d %s", r.Status, r.Body)
	}
	if me, _ := b.me(0); me.User != "bob" || b.session() == first {
		t.Errorf("the browser is %+v", me)
	}
	if r := newSession(t, p.System).send(0, http.MethodGet, "/v1/me", "", "Cookie: "+sessionCookie(p.System)+"="+first,
		"Helve-Console: "+b.page); r.Status != 401 {
		t.Errorf("the session before = %d %s", r.Status, r.Body)
	}
}

// TestSessionFollowsItsKey: changed roles count, and with the key the session ends.
func TestSessionFollowsItsKey(t *testing.T) {
	t.Parallel()
	p := newPeople(t, nil)
	b := p.browser(t, "cleo")
	text, err := os.ReadFile(p.file)
	if err != nil {
		t.Fatal(err)
	}
	change := func(old, now string) {
		t.Helper()
		changed := strings.Replace(string(text), old, now, 1)
		if err := os.WriteFile(p.file, []byte(changed), 0o600); err != nil || changed == string(text) {
			t.Fatalf("the keys are not changed: %v", err)
		}
	}
	change("[approver]", "[auditor]")
	system.Eventually(t, "the roles are others", func() bool {
		me, _ := b.me(1)
		return slices.Equal(me.Roles, []string{"auditor"})
	})
	if r := b.send(1, http.MethodGet, "/v1/audit", ""); r.Status != 200 {
		t.Errorf("what an auditor may = %d %s", r.Status, r.Body)
	}
	change("roles: [approver]", "disabled: true\n  roles: [approver]")
	for dispatcher := range p.URLs {
		system.Eventually(t, "the session is over", func() bool {
			_, status := b.me(dispatcher)
			return status == 401
		})
	}
}

// TestSignInRefused: who has no key is told so, and nothing else signs in.
func TestSignInRefused(t *testing.T) {
	t.Parallel()
	p := newPeople(t, nil)
	b := newSession(t, p.System)
	good := `{"key": "` + p.keys["ann"] + `"}`
	for _, tt := range []struct {
		what, body string
		headers    []string
		status     int
		kind       string
	}{
		{"another key", `{"key": "hk_aaaaaaaaaaaa_` + strings.Repeat("a", 52) + `"}`, nil, 401, "unauthenticated"},
		{"a part of the key", `{"key": "` + p.keys["ann"][:40] + `"}`, nil, 401, "unauthenticated"},
		{"no key", `{}`, nil, 400, "bad_request"}, {"an empty key", `{"key": ""}`, nil, 400, "bad_request"},
		{"no JSON", `key=` + p.keys["ann"], nil, 400, "bad_request"},
		{"two values", good + good, nil, 400, "bad_request"},
		{"another field", `{"key": "` + p.keys["ann"] + `", "next": "/"}`, nil, 400, "bad_request"},
		{"a large body", `{"key": "` + strings.Repeat("x", 5000) + `"}`, nil, 413, "too_large"},
		{"a form", good, []string{"Content-Type: application/x-www-form-urlencoded"}, 400, "bad_request"},
		{"a text", good, []string{"Content-Type: text/plain"}, 400, "bad_request"},
		{"without the header", good, []string{"Helve-Console: "}, 403, "forbidden"},
		{"a secret that can be guessed", good, []string{"Helve-Console: 1"}, 403, "forbidden"},
		{"no origin", good, []string{"Origin: "}, 403, "forbidden"},
		{"a foreign origin", good, []string{"Origin: https://evil.example"}, 403, "forbidden"},
		{"no page", good, []string{"Origin: null"}, 403, "forbidden"},
	} {
		r := b.send(0, http.MethodPost, "/login", tt.body, tt.headers...)
		system.WantProblem(t, tt.what, r, tt.status, tt.kind)
		if r.Header.Get("Set-Cookie") != "" || strings.Contains(string(r.Body), p.keys["ann"][20:]) {
			t.Errorf("%s: %v %s", tt.what, r.Header, r.Body)
		}
	}
	if r := b.send(0, http.MethodGet, "/login?key="+p.keys["ann"], ""); r.Header.Get("Set-Cookie") != "" {
		t.Error("a key in an address signs in")
	}
	if r := b.send(0, http.MethodPut, "/login", good); r.Status != 405 {
		t.Errorf("PUT /login = %d", r.Status)
	}
	limited := 0
	for range 200 {
		r := b.send(0, http.MethodPost, "/login", `{"key": "hk_aaaaaaaaaaaa_`+strings.Repeat("a", 52)+`"}`)
		if r.Status == http.StatusTooManyRequests && r.Header.Get("Retry-After") != "" {
			limited++
		} else if r.Status != 401 {
			t.Fatalf("a wrong key = %d %s", r.Status, r.Body)
		}
	}
	if limited == 0 {
		t.Error("200 wrong keys were not limited")
	}
	if r := b.signIn(0, p.keys["ann"]); r.Status != 200 {
		t.Errorf("the right key from that address = %d %s: everybody behind one proxy would be locked out", r.Status, r.Body)
	}
}

// TestOverTLS: behind a proxy that ends TLS only this host can set the cookie.
func TestOverTLS(t *testing.T) {
	t.Parallel()
	p := newPeople(t, func(c *config.Config) { c.HTTP.PublicURL = "https://helve.example" })
	b := newSession(t, p.System)
	ask := func(method, path, body string, more ...string) system.Reply {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, p.URLs[0]+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Host = "helve.example"
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Origin", "https://helve.example")
		req.Header.Set("Helve-Console", b.page)
		for _, h := range more {
			name, value, _ := strings.Cut(h, ": ")
			req.Header.Set(name, value)
		}
		resp, err := p.Client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		return system.Reply{Status: resp.StatusCode, Header: resp.Header}
	}
	r := ask(http.MethodPost, "/login", `{"key": "`+p.keys["ann"]+`"}`)
	cookie := r.Header.Get("Set-Cookie")
	if r.Status != 200 || !strings.HasPrefix(cookie, "__Host-helve_session=") || !strings.Contains(cookie, "; Secure") ||
		!strings.Contains(cookie, "Path=/;") || strings.Contains(cookie, "Domain") {
		t.Fatalf("POST /login = %d %s", r.Status, cookie)
	}
	pair, _, _ := strings.Cut(cookie, ";")
	if r := ask(http.MethodGet, "/v1/me", "", "Cookie: "+pair); r.Status != 200 {
		t.Errorf("with the cookie = %d", r.Status)
	}
	if r := ask(http.MethodGet, "/v1/me", "", "Cookie: "+pair, "Helve-Console: "); r.Status != 401 {
		t.Errorf("with the cookie alone = %d", r.Status)
	}
	for what, header := range map[string]string{
		"without the prefix": strings.TrimPrefix(pair, "__Host-"), "twice": pair + "; " + pair,
		"with one of a neighbour": pair + "; __Host-helve_session=x",
	} {
		if r := ask(http.MethodGet, "/v1/me", "", "Cookie: "+header); r.Status != 401 {
			t.Errorf("the cookie %s = %d", what, r.Status)
		}
	}
	if r := b.send(0, http.MethodGet, "/v1/me", "", "Cookie: "+pair); r.Status != 401 {
		t.Errorf("that cookie without TLS = %d", r.Status)
	}
}

// TestOpen: without authentication nobody signs in, and me says so.
func TestOpen(t *testing.T) {
	t.Parallel()
	b := newSession(t, shared)
	me, status := b.me(0)
	if status != 200 || me.Authenticated || me.User != "" || me.Tenant != "default" || len(me.Roles) != 6 ||
		me.SignIn != (protocol.SignIn{}) || me.SessionEndsAt != nil {
		t.Errorf("me = %d %+v", status, me)
	}
	system.WantProblem(t, "signing in", b.signIn(0, "hk_x"), 404, "not_found")
	system.WantProblem(t, "the issuer", b.send(0, http.MethodPost, "/login/oidc", `{"query": "?"}`), 404, "not_found")
	if r := b.send(0, http.MethodGet, "/v1/me", "", "Cookie: "+sessionCookie(shared)+"=x"); r.Status != 200 {
		t.Errorf("with a cookie of another server = %d %s", r.Status, r.Body)
	}
}

// TestConsoleOff: without the console nothing of it is there.
func TestConsoleOff(t *testing.T) {
	t.Parallel()
	p := newPeople(t, func(c *config.Config) { c.HTTP.Console = false })
	b := newSession(t, p.System)
	for _, path := range []string{"/", "/calls", "/login"} {
		system.WantProblem(t, path, b.send(0, http.MethodGet, path, ""), 404, "not_found")
	}
	system.WantProblem(t, "signing in", b.signIn(0, p.keys["ann"]), 404, "not_found")
	if r := p.door(t, "ann").Ask(t, "default", "me", nil, ""); r.Status != 200 {
		t.Errorf("me with a key = %d %s", r.Status, r.Body)
	}
}
