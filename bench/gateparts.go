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

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/consent/store"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/engine/gate"
	"github.com/helve-dev/helve/internal/identity/token"
	"github.com/helve-dev/helve/internal/policy"
)

// gateParts holds the dependencies of a worker's gate, over a real NATS server.
type gateParts struct {
	queue  *queue.Queue
	grants *consent.Grants
	keys   *token.Keyring
	signer *token.Signer
	dir    string // of the rules
}

// newGateParts connects to NATS at url; the caller must close NATS.
func newGateParts(ctx context.Context, url, dir string) (*gateParts, error) {
	q, err := queue.Connect(queue.Options{Options: streams.Options{Options: natsio.Options{URL: url, Name: "helve-bench", Log: zap.NewNop()}}})
	if err != nil {
		return nil, err
	}
	g := &gateParts{queue: q, keys: &token.Keyring{}, dir: dir}
	if err := g.prepare(ctx); err != nil {
		q.Close()
		return nil, err
	}
	return g, nil
}

func (g *gateParts) prepare(ctx context.Context) error {
	if err := g.queue.Prepare(ctx); err != nil {
		return err
	}
	bucket, err := g.queue.Conn.Bucket(ctx, streams.BucketGrants)
	if err != nil {
		return err
	}
	g.grants = &consent.Grants{Bucket: bucket, Ring: g.keys}
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		return err
	}
	g.signer = token.NewSigner(private)
	return g.keys.Put(g.signer.KeyID(), public)
}

// gate returns a worker's gate that parks nothing, because the timed calls must run.
func (g *gateParts) gate(p *policy.Policy) *gate.Gate {
	return &gate.Gate{
		Policy: p, Keys: g.keys, Grants: g.grants, Spend: store.On(g.queue).Spend, TTL: time.Minute, Decided: func(string, string) {},
		Park: func(context.Context, *engine.Job, consent.Ask) error { return fmt.Errorf("a call was to be parked") },
	}
}

// policy returns the risk table with a hundred rules, of which about apply to every
// call; with no rules if about is below 0.
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

// hundredRules returns Cedar rules that do not match our calls. Evaluating about of
// them requires the arguments; the others are about other tools.
func hundredRules(about int) string {
	var b strings.Builder
	for i := range 100 {
		if i < about {
			fmt.Fprintf(&b, `@id("r%d") forbid(principal, action == Action::"execute", resource) when { context.arguments has project && context.arguments.project == "p%d" };`+"\n", i, i)
			continue
		}
		fmt.Fprintf(&b,
			`@id("r%d") forbid(principal in User::"default/u%d", action == Action::"execute", resource == Tool::"tool_%d");`+"\n", i, i, i)
	}
	return b.String()
}
