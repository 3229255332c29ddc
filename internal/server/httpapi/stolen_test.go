package httpapi

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/server/signin"
)

// TestStolenCookie: other programs on this machine receive the cookie, because browsers send it
// to every port, and can set it. Neither is a session: that needs the secret of the pages, too.
func TestStolenCookie(t *testing.T) {
	k := withKey(t, "ann", "", identity.User, identity.Agent)
	bucket, err := queuetest.Connect(t, queuetest.Server(t)).Conn.Bucket(queuetest.Context(t), streams.BucketSessions)
	if err != nil {
		t.Fatal(err)
	}
	nothing := func(context.Context, identity.Principal, signin.Event) error { return nil }
	s := serve(t, quiet(), Options{
		Auth:   k.Authenticator,
		SignIn: signin.New(signin.Options{Auth: k.Authenticator, Bucket: bucket, Idle: time.Hour, Life: time.Hour, Record: nothing}),
	})
	at, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	origin, asJSON := "Origin: "+s.URL, "Content-Type: application/json"
	begin := func(secret string) reply {
		t.Helper()
		return s.send(http.MethodPost, "/login", `{"key": "`+k.key+`"}`, origin, asJSON, "Helve-Console: "+secret)
	}
	// Each person at this machine has pages of their own, and a cookie.
	own, others := strings.Repeat("a", 64), strings.Repeat("b", 64)
	cookieOf := func(secret string) string {
		t.Helper()
		r := begin(secret)
		pair, _, _ := strings.Cut(r.header.Get("Set-Cookie"), ";")
		value, ok := strings.CutPrefix(pair, "helve_session_"+at.Port()+"=")
		if r.status != 200 || !ok {
			t.Fatalf("POST /login = %d %s, with the cookie %s", r.status, r.body, pair)
		}
		if strings.Contains(pair, secret) {
			t.Error("the cookie has the secret of the pages")
		}
		return value
	}
	mine, theirs := cookieOf(own), cookieOf(others)
	name := "Cookie: helve_session_" + at.Port() + "="
	for _, tt := range []struct {
		what string
		want int
		with []string
	}{
		{"both", 200, []string{name + mine, "Helve-Console: " + own}},
		{"the cookie alone", 401, []string{name + mine}},
		{"the secret alone", 401, []string{"Helve-Console: " + own}},
		{"nothing", 401, nil},
		{"a guessed secret", 401, []string{name + mine, "Helve-Console: 1"}},
		{"another secret", 401, []string{name + mine, "Helve-Console: " + strings.Repeat("c", 64)}},
		{"a cookie that another port has set", 401, []string{name + theirs, "Helve-Console: " + own}},
		{"a second cookie", 401, []string{name + mine + "; helve_session_" + at.Port() + "=" + theirs, "Helve-Console: " + own}},
		{"the cookie of another port", 401, []string{"Cookie: helve_session_1=" + mine, "Helve-Console: " + own}},
		{"the cookie without a port", 401, []string{"Cookie: helve_session=" + mine, "Helve-Console: " + own}},
		{"both from another site", 401, []string{name + mine, "Helve-Console: " + own, "Sec-Fetch-Site: same-site"}},
	} {
		for _, request := range [][3]string{
			{http.MethodGet, "/v1/me", ""}, {http.MethodGet, "/v1/calls/c1", ""}, {http.MethodGet, "/v1/calls/c1/result", ""},
			{http.MethodGet, "/v1/events?trace_id=" + trace, ""},
			{http.MethodPost, "/v1/execute", `{"calls": [{"tool": "read_file"}]}`},
		} {
			r := s.send(request[0], request[1], request[2], append([]string{origin, asJSON}, tt.with...)...)
			if r.status != tt.want {
				t.Errorf("%s %s with %s = %d %s, want %d", request[0], request[1], tt.what, r.status, r.body, tt.want)
			}
		}
	}
	for _, weak := range []string{"", "1", strings.Repeat("a", 42), strings.Repeat("a", 129), strings.Repeat("a", 63) + "!"} {
		if r := begin(weak); r.status != 403 || r.header.Get("Set-Cookie") != "" || !strings.Contains(r.body, "load the page again") {
			t.Errorf("signing in with the secret %q = %d %s", weak, r.status, r.body)
		}
	}
	// Who has the cookie alone does not sign the person out.
	s.send(http.MethodPost, "/logout", "", origin, name+mine, "Helve-Console: "+others)
	both := []string{name + mine, "Helve-Console: " + own}
	if r := s.send(http.MethodGet, "/v1/me", "", both...); r.status != 200 {
		t.Errorf("after somebody else signed out = %d %s", r.status, r.body)
	}
	if r := s.send(http.MethodPost, "/logout", "", append(both, origin)...); r.status != 204 {
		t.Errorf("signing out = %d %s", r.status, r.body)
	}
	if r := s.send(http.MethodGet, "/v1/me", "", both...); r.status != 401 {
		t.Errorf("after signing out = %d %s", r.status, r.body)
	}
}
