package httpapi

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/internal/test/testtime"
)

// keyed is an authenticator with one key, and its Authorization header.
type keyed struct {
	*identity.Authenticator

	path, bearer, key string
}

// withKey returns a server whose key has the roles, the user and the agent, in
// tenant t1.
func withKey(t *testing.T, user, agent string, roles ...identity.Role) keyed {
	t.Helper()
	key, id, hash := identity.NewKey()
	k := keyed{path: filepath.Join(t.TempDir(), "keys.yaml"), bearer: "Authorization: Bearer " + key, key: key}
	entry := fmt.Sprintf("[{id: %s, hash: %q, tenant: t1, user: %q, agent: %q, roles: %s}]",
		id, hash, user, agent, strings.ReplaceAll(fmt.Sprint(roles), " ", ", "))
	if err := os.WriteFile(k.path, []byte(entry), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	var err error
	if k.Authenticator, err = identity.New(ctx, identity.Options{KeysFile: k.path}); err != nil {
		t.Fatal(err)
	}
	return k
}

// quiet returns calls that answer everything.
func quiet() *calls {
	return &calls{
		execute: echo, get: getCall,
		result: func(tenant, callID string) (io.ReadCloser, int64, error) {
			return io.NopCloser(strings.NewReader(`"` + tenant + "/" + callID + `"`)), -1, nil
		},
		events: func(context.Context, string, string, string, func(dispatch.Event) error) error { return nil },
	}
}

// paths returns all requests that need a credential, with a body if they need one.
func paths() [][3]string {
	fill := strings.NewReplacer("{call_id}", "c1", "{agent}", "a1", "{name}", "read_file", "{consent_id}", "x", "{grant_id}", "x")
	all := [][3]string{{"GET", "/v1/calls/c1/result", ""}, {"HEAD", "/v1/calls/c1/result", ""}, {"HEAD", "/v1/events?trace_id=" + trace, ""}}
	for _, op := range api.Operations() {
		if op.Public {
			continue
		}
		path := fill.Replace(op.Path)
		if op.Name == api.Events {
			path += "?trace_id=" + trace
		}
		body := ""
		if op.Body {
			body = "{}"
		}
		all = append(all, [3]string{op.Method, path, body})
	}
	return all
}

// TestPublicKeyIsPublic: what receivers of callbacks verify with needs no credential.
func TestPublicKeyIsPublic(t *testing.T) {
	s := serve(t, quiet(), Options{Auth: withKey(t, "u", "", identity.Roles()...).Authenticator})
	if r := s.send("GET", "/v1/audit/public-key", ""); r.status == 401 || r.status == 403 {
		t.Errorf("GET = %d %s", r.status, r.body)
	}
}

func TestEverythingNeedsACredential(t *testing.T) {
	testtime.Slow(t, "it sends every request with every wrong credential")
	auth := withKey(t, "u", "", identity.Roles()...)
	s := serve(t, quiet(), Options{Auth: auth.Authenticator})
	stranger, _, _ := identity.NewKey()
	for _, p := range paths() {
		for _, headers := range [][]string{
			{},
			{"Authorization: Bearer " + stranger},
			{"Authorization: Bearer " + auth.key[:len(auth.key)-1] + "!"},
			{"Authorization: Basic " + auth.key},
			{"Authorization: " + auth.key},
			{"Helve-Tenant: t1"},
			{"Cookie: token=" + auth.key},
			{"X-API-Key: " + auth.key},
		} {
			r := s.send(p[0], p[1], p[2], headers...)
			if r.header.Get("WWW-Authenticate") != "Bearer" {
				t.Errorf("%s %s with %.30q has no challenge: %d %v", p[0], p[1], headers, r.status, r.header)
			}
			if p[0] != "HEAD" {
				s.wantProblem(r, 401, "unauthenticated", "")
			}
			if strings.Contains(r.body, "hk_") {
				t.Errorf("%s %s repeats the credential: %s", p[0], p[1], r.body)
			}
		}
		if r := s.send(p[0], p[1], p[2], auth.bearer); r.status == 401 || r.status == 403 {
			t.Errorf("%s %s with a key of every role = %d %s", p[0], p[1], r.status, r.body)
		}
	}
	for _, query := range []string{"access_token=", "token=", "key=", "authorization=Bearer+"} {
		s.wantProblem(s.send("GET", "/v1/events?trace_id="+trace+"&"+query+auth.key, ""), 401, "unauthenticated", "Authorization: Bearer")
	}
	for _, line := range s.logs.All() {
		if strings.Contains(fmt.Sprint(line.Message, line.ContextMap()), "hk_") {
			t.Errorf("the log shows a credential: %v", line)
		}
	}
	if s.logs.FilterMessage("requests were refused for their credential").Len() == 0 {
		t.Error("the refused requests are not logged")
	}
}

func TestTheCredentialNamesTheTenant(t *testing.T) {
	auth := withKey(t, "u", "", identity.User)
	s := serve(t, quiet(), Options{Auth: auth.Authenticator})
	for path, want := range map[string]string{"/v1/calls/c1": `{"call_id":"t1/c1"}`, "/v1/calls/c1/result": `"t1/c1"`} {
		for _, header := range []string{"", "Helve-Tenant: t1"} {
			if r := s.send("GET", path, "", auth.bearer, header); r.status != 200 || strings.TrimSpace(r.body) != want {
				t.Errorf("GET %s with %q = %d %s, want %s", path, header, r.status, r.body, want)
			}
		}
	}
	for _, p := range paths() {
		for _, tenant := range []string{"t2", "default", "T1", "t1 t2"} {
			r := s.send(p[0], p[1], p[2], auth.bearer, "Helve-Tenant: "+tenant)
			if p[0] == "HEAD" && r.status == 403 {
				continue
			}
			s.wantProblem(r, 403, "forbidden", "not for the tenant")
		}
	}
}

// A request for another person or agent than the credential's is refused; a request
// that names none is for the credential's.
func TestContextOnlyNarrows(t *testing.T) {
	var got dispatch.Request
	c := quiet()
	c.execute = func(ctx context.Context, req dispatch.Request) (dispatch.Response, error) {
		got = req
		return echo(ctx, req)
	}
	for _, tt := range []struct {
		user, agent, context string
		status               int
		wantUser, wantAgent  string
	}{
		{"u", "a", `{}`, 200, "u", "a"},
		{"u", "a", `{"user":"u","agent":"a"}`, 200, "u", "a"},
		{"u", "", `{"agent":"a2"}`, 200, "u", "a2"},
		{"", "a", `{"user":"u2"}`, 200, "u2", "a"},
		{"u", "a", `{"user":"u2"}`, 403, "", ""},
		{"u", "a", `{"agent":"a2"}`, 403, "", ""},
	} {
		auth := withKey(t, tt.user, tt.agent, identity.Agent, identity.Admin, identity.Approver)
		s := serve(t, c, Options{Auth: auth.Authenticator})
		got = dispatch.Request{}
		r := s.send("POST", "/v1/execute", `{"context":`+tt.context+`,"calls":[{"tool":"a","arguments":{}}]}`, auth.bearer)
		if r.status != tt.status || got.User != tt.wantUser || got.Agent != tt.wantAgent || tt.status == 200 && got.Tenant != "t1" {
			t.Errorf("%q/%q asking for %s = %d %s, reached the dispatcher as %+v", tt.user, tt.agent, tt.context, r.status, r.body, got)
		}
	}
}

func TestRoles(t *testing.T) {
	auth := withKey(t, "u", "", identity.Remote)
	s := serve(t, quiet(), Options{Auth: auth.Authenticator})
	for _, path := range []string{"/v1/calls/c1", "/v1/calls/c1/result", "/v1/events?trace_id=" + trace} {
		s.wantProblem(s.send("GET", path, "", auth.bearer), 403, "forbidden", "needs the role")
	}
	auth = withKey(t, "u", "", identity.Auditor)
	s = serve(t, quiet(), Options{Auth: auth.Authenticator})
	if r := s.send("GET", "/v1/agents", "", auth.bearer); r.status != 200 {
		t.Errorf("an auditor reading agents = %d %s", r.status, r.body)
	}
}

// A credential in the hands of a browser makes a foreign page no friend.
func TestForeignPagesWithACredential(t *testing.T) {
	auth := withKey(t, "u", "", identity.Roles()...)
	s := serve(t, quiet(), Options{Auth: auth.Authenticator})
	for _, header := range []string{"Host: evil.example", "Origin: https://evil.example", "Origin: null"} {
		s.wantProblem(s.send("POST", "/v1/execute", `{"calls":[{"tool":"a"}]}`, auth.bearer, header), 403, "forbidden", "not")
		s.wantProblem(s.send("POST", "/v1/execute", `{"calls":[{"tool":"a"}]}`, header), 403, "forbidden", "not")
	}
}

func TestOpen(t *testing.T) {
	for name, auth := range map[string]*identity.Authenticator{"no authenticator": nil, "one that is off": {}} {
		s := serve(t, quiet(), Options{Auth: auth})
		for _, header := range []string{"", "Authorization: Bearer whatever"} {
			if r := s.send("GET", "/v1/calls/c1", "", "Helve-Tenant: t9", header); r.status != 200 || !strings.Contains(r.body, "t9/c1") {
				t.Errorf("%s, %q: %d %s", name, header, r.status, r.body)
			}
		}
		if r := s.send("PUT", "/v1/agents/a1", "{}"); r.status != 200 {
			t.Errorf("%s: what an admin may do = %d %s", name, r.status, r.body)
		}
	}
}
