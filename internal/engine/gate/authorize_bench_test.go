package gate_test

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/engine/gate"
	"github.com/helve-dev/helve/internal/identity/token"
	"github.com/helve-dev/helve/internal/policy"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// BenchmarkAuthorize measures a call through a whole engine, with and without a gate; the
// difference is the cost of the gate. Storage on NATS is replaced and costs nothing here.
func BenchmarkAuthorize(b *testing.B) {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		b.Fatal(err)
	}
	keys, signer := &token.Keyring{}, token.NewSigner(private)
	if err := keys.Put(signer.KeyID(), public); err != nil {
		b.Fatal(err)
	}
	text, err := signer.Mint(token.Claims{
		ID: "t1", Tenant: "acme", User: "u1", TraceID: trace, Tools: []string{"medium"}, IssuedAt: time.Now(),
		Expires: time.Now().Add(time.Hour), By: "boss",
	})
	if err != nil {
		b.Fatal(err)
	}
	rules := filepath.Join(b.TempDir(), "rules.cedar")
	if err := os.WriteFile(rules, []byte(hundredRules()), 0o600); err != nil {
		b.Fatal(err)
	}
	for _, bb := range []struct {
		name, tool, token string
		policy            engine.Policy
		parks             bool
	}{
		{name: "no_gate", tool: "low", policy: engine.AllowAll()},
		{name: "table", tool: "low", policy: door(b, keys, nobody{})},
		{name: "100_rules", tool: "low", policy: door(b, keys, nobody{}, rules)},
		{name: "grant", tool: "medium", policy: door(b, keys, everything{}, rules)},
		{name: "token", tool: "medium", token: text, policy: door(b, keys, nobody{}, rules)},
		{name: "park", tool: "medium", policy: door(b, keys, nobody{}, rules), parks: true},
	} {
		b.Run(bb.name, func(b *testing.B) {
			e := engine.New(engine.Deps{Catalog: riskTools(b), Access: open{}, Policy: bb.policy, Ledger: open{}, Ports: noPorts{}, Record: open{}})
			b.ReportAllocs()
			for b.Loop() {
				j := job(bb.tool, `{"path":"notes/today.txt"}`)
				j.Token = bb.token
				out := e.Execute(b.Context(), j)
				if out.Err != nil || errors.Is(out.Control, engine.ErrParked) != bb.parks {
					b.Fatal(out.Err, out.Control)
				}
			}
		})
	}
}

// door returns a gate whose parking and spending cost nothing.
func door(b *testing.B, keys gate.Keys, grants gate.Grants, rules ...string) *gate.Gate {
	b.Helper()
	p, err := policy.New(policy.Options{Rules: rules, TTL: time.Minute, HighTTL: time.Minute})
	if err != nil {
		b.Fatal(err)
	}
	return &gate.Gate{
		Policy: p, Keys: keys, Grants: grants, TTL: time.Minute, Decided: func(string, string) {},
		Spend: func(context.Context, string, string, string) (bool, error) { return true, nil },
		Park:  func(context.Context, *engine.Job, consent.Ask) error { return nil },
	}
}

// hundredRules returns 90 rules about other tools and 10 about the arguments of every call.
func hundredRules() string {
	var text strings.Builder
	for i := range 100 {
		if i%10 == 0 {
			fmt.Fprintf(&text,
				"forbid(principal, action == Action::\"execute\", resource) when { context.arguments has path && context.arguments.path like "+
					"\"secret%d/*\" };\n",
				i)
			continue
		}
		fmt.Fprintf(&text, "forbid(principal in User::\"acme/u%d\", action == Action::\"execute\", resource == Tool::\"tool_%d\");\n", i, i)
	}
	return text.String()
}

func riskTools(b *testing.B) catalog {
	b.Helper()
	c, set := catalog{}, tool.NewSet("Test", "test")
	for name, risk := range map[string]tool.Risk{"low": tool.Low, "medium": tool.Medium} {
		entry, err := engine.NewEntry(tool.Add(set, tool.Spec[args, string]{
			Name: name, Description: "Does " + name + ".", Risk: risk, Mutates: true, Idempotent: true, Timeout: time.Second,
			Scopes: tool.Scopes{Paths: []string{"workspace"}},
			Run:    func(context.Context, *tool.Call, args) (string, error) { return "done", nil },
		}))
		if err != nil {
			b.Fatal(err)
		}
		c[name] = entry
	}
	return c
}

type noPorts struct{}

func (noPorts) Fill(*engine.Job, tool.Needs) error { return nil }

// Two stores of grants: an empty one, and one with every grant.
type (
	nobody     struct{}
	everything struct{}
)

func (nobody) Find(context.Context, string, string, string, consent.Subject) (consent.Standing, *protocol.Grant, error) {
	return consent.Unknown, nil, nil
}

func (everything) Find(context.Context, string, string, string, consent.Subject) (consent.Standing, *protocol.Grant, error) {
	return consent.Allowed, &protocol.Grant{ID: "g1", By: "u1"}, nil
}
