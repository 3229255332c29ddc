package api

import (
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/internal/identity"
)

// TestRoles is the whole table of who may ask for what.
func TestRoles(t *testing.T) {
	want := map[string]string{
		"execute": "agent user approver admin", "tools.list": "agent user approver admin", "tools.get": "agent user approver admin",
		"calls.get": "agent user approver admin auditor", "calls.cancel": "agent user approver admin",
		"programs.list": "agent user admin auditor", "programs.get": "agent user approver admin auditor",
		"programs.retry":  "agent user approver admin",
		"events":          "agent user approver admin auditor",
		"groups.list":     "agent user approver admin",
		"metrics.history": "admin auditor", "tools.stats": "admin auditor", "policy.get": "admin auditor",
		"policy.explain": "agent user approver admin auditor",
		"me":             "agent user approver admin auditor remote",
		"consent.list":   "user approver admin auditor", "consent.get": "user approver admin auditor",
		"consent.decide": "user approver", "tokens.mint": "user approver",
		"grants.list": "user approver admin", "grants.revoke": "user approver admin",
		"push.key": "user approver admin", "push.list": "user approver admin", "push.subscribe": "user approver admin",
		"push.unsubscribe": "user approver admin",
		"audit.query":      "admin auditor", "audit.verify": "admin auditor", "audit.rebuild": "admin", "audit.export": "admin auditor",
		"audit.public_key": "agent user approver admin auditor remote",
		"agents.list":      "user admin auditor", "agents.get": "user admin auditor", "agents.put": "admin", "agents.delete": "admin",
		"remote.list": "admin auditor", "remote.register": "admin remote", "remote.unregister": "admin remote",
		"custom.list": "user approver admin auditor", "custom.get": "user approver admin auditor",
		"custom.versions": "user approver admin auditor", "custom.share": "approver admin",
		"custom.unshare": "user approver admin", "custom.toggle": "user admin", "custom.delete": "user admin",
		"files.list": "user admin", "files.get": "user admin", "files.put": "user admin", "files.delete": "user admin",
		"services.list": "user admin", "services.get": "user admin", "services.set": "user admin", "services.delete": "user admin",
		"services.test": "user admin", "services.rotate": "admin", "services.connect": "user admin", "services.connection": "user admin",
		"upstream.list": "admin", "upstream.accept": "admin",
		"data.summary": "user admin", "data.export": "user admin", "data.import": "user admin", "data.delete": "user admin",
		"schedules.list": "user admin auditor", "schedules.get": "user admin auditor", "schedules.delete": "user admin",
		"workers.list": "admin auditor", "workers.drain": "admin", "workers.pause": "admin", "workers.resume": "admin",
		"dead.list": "admin auditor", "dead.get": "admin auditor", "dead.requeue": "admin", "dead.drop": "admin",
		"calls.list": "user admin auditor", "system.check": "admin auditor",
		"system.counts": "user approver admin auditor",
		"pools.list":    "admin auditor", "pools.drain": "admin", "pools.pause": "admin", "pools.resume": "admin",
	}
	for _, op := range Operations() {
		var may []string
		for _, role := range identity.Roles() {
			if op.Permits(as("u", "", role)) == nil {
				may = append(may, string(role))
			}
		}
		if got := strings.Join(may, " "); got != want[op.Name] {
			t.Errorf("%s is for %q, want %q", op.Name, got, want[op.Name])
		}
		failure(t, op.Permits(identity.Principal{}), "forbidden", 403, op.Name+" needs the role ")
		if err := op.Permits(identity.Anyone("t")); err != nil {
			t.Errorf("%s in open mode: %v", op.Name, err)
		}
		if slices.ContainsFunc(op.Numbers, func(name string) bool { return !slices.Contains(op.Params, name) }) {
			t.Errorf("%s has numbers %q that are not among its parameters", op.Name, op.Numbers)
		}
		if slices.ContainsFunc(op.Flags, func(name string) bool { return !slices.Contains(op.Params, name) }) {
			t.Errorf("%s has flags %q that are not among its parameters", op.Name, op.Flags)
		}
	}
	if len(want) != len(Operations()) {
		t.Errorf("%d operations, want %d", len(Operations()), len(want))
	}
}

// TestDoChecksTheCaller shows that the check stands before every operation.
func TestDoChecksTheCaller(t *testing.T) {
	s, o := gated(t)
	_, err := do(s, "consent.decide", Input{
		By:     as("ada", "", identity.Agent),
		Params: map[string]string{"consent_id": "c1"},
		Body:   []byte(`{"decision":"grant"}`),
	})
	failure(t, err, "forbidden", 403, "consent.decide needs the role user or approver, which this credential does not hold")
	_, err = do(s, "groups.list", Input{Tenant: "t2", By: as("ada", "", identity.User)})
	failure(t, err, "forbidden", 403, `the tenant "t2"`)
	_, err = s.Do(t.Context(), operations[0], Input{Body: []byte(`{` + aCall + `}`)})
	failure(t, err, "forbidden", 403, "execute needs the role")
	if o.calls != 0 {
		t.Errorf("%d refused requests went through", o.calls)
	}
}

// TestExecuteIdentity shows that a body may narrow the credential, never widen it.
func TestExecuteIdentity(t *testing.T) {
	var got dispatch.Request
	s, _ := service(t, func(req dispatch.Request) (dispatch.Response, error) {
		got = req
		return dispatch.Response{}, nil
	})
	for _, tt := range []struct {
		by                        identity.Principal
		context                   string
		tenant, user, agent, fail string
	}{
		{by: as("ada", "notes", identity.User), context: `{}`, tenant: "default", user: "ada", agent: "notes"},
		{by: as("ada", "", identity.User), context: `{"user":"ada","agent":"x"}`, tenant: "default", user: "ada", agent: "x"},
		{by: as("", "", identity.Agent), context: `{"user":"bob"}`, tenant: "default", user: "bob"},
		{by: as("ada", "", identity.User), context: `{"user":"bob"}`, fail: `the user "bob"`},
		{by: as("ada", "", identity.Approver, identity.Admin), context: `{"user":"bob"}`, fail: `the user "bob"`},
		{by: as("ada", "notes", identity.User), context: `{"agent":"x"}`, fail: `the agent "x"`},
		{by: identity.Anyone("t2"), context: `{"user":"bob","agent":"x"}`, tenant: "t2", user: "bob", agent: "x"},
	} {
		got = dispatch.Request{}
		_, err := do(s, Execute, Input{By: tt.by, Body: []byte(`{"context":` + tt.context + `,` + aCall + `}`)})
		if tt.fail != "" {
			failure(t, err, "forbidden", 403, tt.fail)
		} else if err != nil {
			t.Errorf("%+v with %s: %v", tt.by, tt.context, err)
		}
		if got.Tenant != tt.tenant || got.User != tt.user || got.Agent != tt.agent {
			t.Errorf("%+v with %s executes for %q %q %q, want %q %q %q",
				tt.by, tt.context, got.Tenant, got.User, got.Agent, tt.tenant, tt.user, tt.agent)
		}
	}
}
