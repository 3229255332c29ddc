package client

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
)

func TestGrants(t *testing.T) {
	const one = `{"grant_id":"g1","tenant":"default","user":"ada","tool":"delete_file","conversation":"v1","deny":true,"scopes":{"paths":["a"],"hosts":[],"apps":[]},"by":"bob","granted_at":"2026-11-20T12:00:00Z","consent_id":"k1"}`
	want := Grant{
		ID: "g1", Tenant: "default", User: "ada", Tool: "delete_file", Conversation: "v1", Deny: true,
		Scopes: &tool.Scopes{Paths: []string{"a"}, Hosts: []string{}, Apps: []string{}},
		By:     "bob", At: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), ConsentID: "k1",
	}
	for name, start := range transports {
		t.Run(name, func(t *testing.T) {
			f := start(t, always(`{"grants":[`+one+`]}`))
			c := connect(t, f, WithContext(Context{User: "ada"}))
			grants, err := c.Grants(t.Context(), "bob")
			if diff := cmp.Diff([]Grant{want}, grants); err != nil || diff != "" {
				t.Errorf("Grants: %v (-want +got):\n%s", err, diff)
			}
			wantAsked(t, f, "grants.list", map[string]any{"user": "bob"})
			if err := c.RevokeGrant(t.Context(), "g1"); err != nil {
				t.Error(err)
			}
			wantAsked(t, f, "grants.revoke", map[string]any{"grant_id": "g1", "by": "ada"})
			if err := connect(t, f).RevokeGrant(t.Context(), "g1"); err != nil {
				t.Error(err)
			}
			wantAsked(t, f, "grants.revoke", map[string]any{"grant_id": "g1"})
			count := f.count()
			if err := c.RevokeGrant(t.Context(), "g1/.."); err == nil || f.count() != count {
				t.Errorf("RevokeGrant of a bad id: error %v, want one without a request", err)
			}
		})
	}
}

func TestMintToken(t *testing.T) {
	for name, start := range transports {
		t.Run(name, func(t *testing.T) {
			f := start(t, always(`{"token":"v4.public.x","token_id":"tok1","expires_at":"2026-11-20T12:00:00Z"}`))
			c := connect(t, f, WithContext(Context{User: "ada", Agent: "notes"}))
			got, err := c.MintToken(t.Context(), TokenSpec{TraceID: trace, Tools: []string{"a"}})
			if want := (Token{Token: "v4.public.x", ID: "tok1", ExpiresAt: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}); err != nil ||
				got != want {
				t.Errorf("MintToken = %+v, %v, want %+v", got, err, want)
			}
			wantAsked(t, f, "tokens.mint", map[string]any{
				"user": "ada", "trace_id": trace, "tools": []any{"a"}, "context": map[string]any{"agent": "notes"},
			})
			_, err = connect(t, f).MintToken(t.Context(), TokenSpec{
				User: "bob", TraceID: trace, Tools: []string{"a", "b"}, Scopes: &tool.Scopes{Hosts: []string{"example.org"}},
				ArgsHash: "sha256:00", CallID: "c1", TTL: 90 * time.Second, Reusable: true,
			})
			if err != nil {
				t.Error(err)
			}
			wantAsked(t, f, "tokens.mint", map[string]any{
				"user": "bob", "trace_id": trace, "tools": []any{"a", "b"},
				"scopes": map[string]any{"paths": []any{}, "hosts": []any{"example.org"}, "apps": []any{}}, "args_hash": "sha256:00",
				"call_id": "c1", "ttl_seconds": 90.0, "reusable": true,
			})
		})
	}
}
