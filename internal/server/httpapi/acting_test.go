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

// TestActingAs: a page that shows another person than is signed in does nothing in the name of
// either, and learns who is signed in.
func TestActingAs(t *testing.T) {
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
	page := []string{"Origin: " + s.URL, "Content-Type: application/json", "Helve-Console: " + strings.Repeat("a", 64)}
	r := s.send(http.MethodPost, "/login", `{"key": "`+k.key+`"}`, page...)
	pair, _, _ := strings.Cut(r.header.Get("Set-Cookie"), ";")
	if r.status != http.StatusOK || !strings.HasPrefix(pair, "helve_session_"+at.Port()+"=") {
		t.Fatalf("POST /login = %d %s, with the cookie %s", r.status, r.body, pair)
	}
	session, credential := append(page, "Cookie: "+pair), append(page, "Authorization: Bearer "+k.key)
	const call = `{"calls": [{"tool": "read_file"}]}`
	for _, tt := range []struct {
		what string
		want int
		with []string
	}{
		{"no name", http.StatusOK, nil},
		{"the person", http.StatusOK, []string{"Helve-Acting-As: ann"}},
		{"the person of the tenant", http.StatusOK, []string{"Helve-Acting-As: ann", "Helve-Tenant: t1"}},
		{"another person", http.StatusConflict, []string{"Helve-Acting-As: sam"}},
		{"nobody", http.StatusConflict, []string{"Helve-Acting-As: "}},
		{"another spelling", http.StatusConflict, []string{"Helve-Acting-As: Ann"}},
		{"the name in another tenant", http.StatusConflict, []string{"Helve-Acting-As: ann", "Helve-Tenant: other"}},
	} {
		for who, headers := range map[string][]string{"session": session, "credential": credential} {
			for _, request := range [][3]string{
				{http.MethodPost, "/v1/execute", call}, {http.MethodPost, "/v1/calls/c1/cancel", ""}, {http.MethodGet, "/v1/me", ""},
			} {
				r := s.send(request[0], request[1], request[2], append(headers[:len(headers):len(headers)], tt.with...)...)
				refused := r.status == http.StatusConflict
				if refused != (tt.want == http.StatusConflict) {
					t.Errorf("%s %s of a %s with %s = %d %s, want %d", request[0], request[1], who, tt.what, r.status, r.body, tt.want)
				}
				if refused && (!strings.Contains(r.body, `"error_type":"conflict"`) || !strings.Contains(r.body, `"signed_in_as":"ann"`) ||
					!strings.Contains(r.body, "signed in as ann")) {
					t.Errorf("the refusal is %s, want who is signed in", r.body)
				}
			}
		}
	}
	if r := s.send(http.MethodPost, "/logout", "", append(session, "Helve-Acting-As: sam")...); r.status != http.StatusConflict {
		t.Errorf("signing out as another person = %d %s, want 409", r.status, r.body)
	}
	if r := s.send(http.MethodGet, "/v1/me", "", session...); r.status != http.StatusOK {
		t.Errorf("after another person's page signed out = %d %s", r.status, r.body)
	}
	if r := s.send(http.MethodPost, "/logout", "", append(session, "Helve-Acting-As: ann")...); r.status != http.StatusNoContent {
		t.Errorf("signing out = %d %s", r.status, r.body)
	}
}
