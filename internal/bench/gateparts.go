package bench

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/gate"
	"github.com/helve-dev/helve/internal/policy"
	"github.com/helve-dev/helve/internal/token"
)

// gateParts is what a worker's gate leans on, over a real bus.
type gateParts struct {
	bus    *bus.Bus
	grants *consent.Grants
	keys   *token.Keyring
	signer *token.Signer
	dir    string // of the rules
}

// newGateParts connects to the bus at url; the bus is to be closed.
func newGateParts(ctx context.Context, url, dir string) (*gateParts, error) {
	b, err := bus.Connect(bus.Options{URL: url, Name: "helve-bench", Log: zap.NewNop()})
	if err != nil {
		return nil, err
	}
	g := &gateParts{bus: b, keys: &token.Keyring{}, dir: dir}
	if err := g.prepare(ctx); err != nil {
		b.Close()
		return nil, err
	}
	return g, nil
}

func (g *gateParts) prepare(ctx context.Context) error {
	if err := g.bus.Prepare(ctx); err != nil {
		return err
	}
	bucket, err := g.bus.Bucket(ctx, bus.BucketGrants)
	if err != nil {
		return err
	}
	g.grants = &consent.Grants{Bucket: bucket}
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		return err
	}
	g.signer = token.NewSigner(private)
	return g.keys.Put(g.signer.KeyID(), public)
}

// gate is a worker's, but that nothing is parked: what is timed must run.
func (g *gateParts) gate(p *policy.Policy) *gate.Gate {
	return &gate.Gate{
		Policy: p, Keys: g.keys, Grants: g.grants, Spend: g.bus.Spend, TTL: time.Minute, Decided: func(string, string) {},
		Park: func(context.Context, *engine.Job, consent.Ask) error { return fmt.Errorf("a call was to be parked") },
	}
}

// policy is the table with a hundred rules of which about are about every call;
// with no rules if about is below 0.
func (g *gateParts) policy(about int) (*policy.Policy, error) {
	o := policy.Options{TTL: time.Minute, HighTTL: time.Minute}
	if about >= 0 {
		file := filepath.Join(g.dir, fmt.Sprintf("rules-%d.cedar", about))
		if err := os.WriteFile(file, []byte(hundredRules(about)), 0o600); err != nil {
			return nil, err
		}
		o.Rules = []string{file}
	}
	return policy.New(o)
}

// hundredRules are Cedar rules none of which says anything of a call of ours.
// About of them must be looked at to know, with the arguments; the others are
// about other tools.
func hundredRules(about int) string {
	var b strings.Builder
	for i := range 100 {
		if i < about {
			fmt.Fprintf(&b, `@id("r%d") forbid(principal, action == Action::"execute", resource) when { context.arguments has project && context.arguments.project == "p%d" };`+"\n", i, i)
			continue
		}
		fmt.Fprintf(&b, `@id("r%d") forbid(principal in User::"default/u%d", action == Action::"execute", resource == Tool::"tool_%d");`+"\n", i, i, i)
	}
	return b.String()
}
