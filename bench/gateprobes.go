package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/identity/token"
	"github.com/helve-dev/helve/internal/policy"
	"github.com/helve-dev/helve/tool"
)

// probeCount is the number of probes.
const probeCount = 9

// probes returns the timed operations, an engine without a gate first.
func (g *gateParts) probes() ([]*probe, error) {
	var rules [3]*policy.Policy
	for i, about := range []int{-1, 10, 100} {
		var err error
		if rules[i], err = g.policy(about); err != nil {
			return nil, err
		}
	}
	table, few, every := rules[0], rules[1], rules[2]
	quiet, err := newTestbed(engine.AllowAll(), tool.Low)
	byTable, errTable := newTestbed(g.gate(table), tool.Low)
	byRules, errRules := newTestbed(g.gate(few), tool.Low)
	approved, errApproved := newTestbed(g.gate(few), tool.Medium)
	if err := errors.Join(err, errTable, errRules, errApproved); err != nil {
		return nil, err
	}
	return []*probe{
		through("engine_alone", "a call through an engine that lets everything pass", quiet),
		through("gate_table", "the same with the gate, by the table of risks alone", byTable),
		through("gate_100_rules", "the same with 100 rules, 10 of them about every call", byRules),
		decision("decide_table", "a decision by the table alone", table, quiet.tool),
		decision("decide_100_rules", "a decision with 100 rules, 10 of them about every call", few, quiet.tool),
		decision("decide_100_evaluated", "a decision with 100 rules, all of them about every call", every, quiet.tool),
		g.verified(), g.remembered(), g.spent(approved),
	}, nil
}

// through returns a call that needs no approval.
func through(name, about string, bed testbed) *probe {
	return &probe{name: name, about: about, engine: true, call: func(ctx context.Context) error { return bed.call(ctx, "c1", "") }}
}

func decision(name, about string, p *policy.Policy, def *tool.Definition) *probe {
	in := policy.Input{
		Tenant: benchTenant, User: benchUser, Agent: "a1", Conversation: "c1", Tool: def,
		Arguments: json.RawMessage(typicalJSON), Origin: policy.Direct, Now: time.Now(),
	}
	return &probe{name: name, about: about, call: func(context.Context) error {
		if d := p.Decide(in); d.Outcome != policy.Run {
			return fmt.Errorf("the policy says %v: %s", d.Outcome, d.Reason)
		}
		return nil
	}}
}

// verified returns the verification of a token, as in each worker for each token.
func (g *gateParts) verified() *probe {
	var text string
	p := &probe{name: "token_verify", about: "verifying a confirm token"}
	p.ready = func() (err error) {
		if text == "" {
			text, err = g.mint("t0")
		}
		return err
	}
	p.call = func(context.Context) error {
		_, err := g.keys.Verify(text, time.Now())
		return err
	}
	return p
}

// remembered returns the lookup of a person's earlier decision: one read for all
// conversations, one for this.
func (g *gateParts) remembered() *probe {
	return &probe{name: "grant_find", about: "looking for a grant, on NATS", call: func(ctx context.Context) error {
		_, _, err := g.grants.Find(ctx, benchTenant, benchUser, "c1", consent.Subject{Tool: "noop"})
		return err
	}}
}

// spent returns an approved call: its token is verified, compared and marked as used.
// Each call has a token of its own.
func (g *gateParts) spent(bed testbed) *probe {
	var id, text string
	n := 0
	p := &probe{name: "token_call", about: "a call with a confirm token through the gate, spent on NATS", engine: true}
	p.ready = func() (err error) {
		n++
		id = strconv.Itoa(n)
		text, err = g.mint("t" + id)
		return err
	}
	p.call = func(ctx context.Context) error { return bed.call(ctx, "c"+id, text) }
	return p
}

func (g *gateParts) mint(id string) (string, error) {
	return g.signer.Mint(token.Claims{
		ID: id, Tenant: benchTenant, User: benchUser, TraceID: benchTrace, Tools: []string{"noop"},
		IssuedAt: time.Now(), Expires: time.Now().Add(time.Hour), By: benchUser,
	})
}
