package api

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/identity"
)

func TestListGrants(t *testing.T) {
	s, o := gated(t)
	for _, tt := range []struct {
		by         identity.Principal
		user, want string
		fail       string
	}{
		{by: as("ada", "", identity.User), want: "g1"},
		{by: as("ada", "", identity.User), user: "bob", fail: `the user "bob"`},
		{by: as("", "", identity.User), fail: "names no user"},
		{by: as("x", "", identity.Approver), want: "g1 g2"},
		{by: as("x", "", identity.Admin), user: "bob", want: "g2"},
		{by: as("x", "", identity.Auditor), fail: "grants.list needs the role"},
		{by: identity.Anyone("default"), want: "g1 g2"},
		{by: identity.Anyone("t2"), want: ""},
	} {
		reply, err := do(s, "grants.list", Input{By: tt.by, Params: map[string]string{"user": tt.user}})
		if tt.fail != "" {
			failure(t, err, "forbidden", 403, tt.fail)
			continue
		}
		var got []string
		for _, id := range []string{"g1", "g2"} {
			if strings.Contains(string(reply.Body), `"grant_id":"`+id+`"`) {
				got = append(got, id)
			}
		}
		if err != nil || !strings.HasPrefix(string(reply.Body), `{"grants":[`) || strings.Join(got, " ") != tt.want || o.by.Name != tt.by.Name {
			t.Errorf("%+v lists %s, %v, as %+v, want %q as itself", tt.by, reply.Body, err, o.by, tt.want)
		}
	}
	_, err := do(s, "grants.list", Input{Params: map[string]string{"user": "a b"}})
	failure(t, err, "bad_request", 400, "user must match")
}

func TestRevokeGrant(t *testing.T) {
	s, o := gated(t)
	for _, tt := range []struct {
		by                  identity.Principal
		id, named, as, kind string
		status              int
	}{
		{by: as("ada", "", identity.User), id: "g1", as: "ada"},
		{by: as("ada", "", identity.User), id: "g2", kind: "not_found", status: 404},
		{by: as("ada", "", identity.User), id: "g1", named: "bob", kind: "forbidden", status: 403},
		{by: as("", "", identity.User), id: "g1", kind: "not_found", status: 404},
		{by: as("", "", identity.User), id: "g1", named: "ada", as: "ada"},
		{by: as("", "", identity.Admin), id: "g1"},
		{by: as("bob", "", identity.Approver), id: "g1", as: "bob"},
		{by: as("ada", "", identity.Agent), id: "g1", kind: "forbidden", status: 403},
		{by: identity.Anyone("default"), id: "g1"},
		{by: identity.Anyone("default"), id: "g1", named: "bob", as: "bob"},
		{by: identity.Anyone("default"), id: "a.b", kind: "bad_request", status: 400},
	} {
		o.calls, o.by = 0, identity.Principal{}
		reply, err := do(s, "grants.revoke", Input{By: tt.by, Params: map[string]string{"grant_id": tt.id, "by": tt.named}})
		if tt.kind != "" {
			failure(t, err, tt.kind, tt.status, "")
			if o.calls != 0 {
				t.Errorf("%+v may not revoke %s, but does", tt.by, tt.id)
			}
			continue
		}
		if err != nil || string(reply.Body) != "{}" || o.calls != 1 || o.by.User != tt.as {
			t.Errorf("%+v revokes %s: %s, %v, as %q, want as %q", tt.by, tt.id, reply.Body, err, o.by.User, tt.as)
		}
	}
}
