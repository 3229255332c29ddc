package worker

import (
	"context"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/gate"
	"github.com/helve-dev/helve/internal/policy"
	"github.com/helve-dev/helve/internal/token"
)

// openGate builds the gate of a worker over a bus that is prepared.
func (w *Worker) openGate(ctx context.Context) (*gate.Gate, error) {
	rules, err := newPolicy(w.cfg, w.rulesChanged)
	if err != nil {
		return nil, err
	}
	w.rules, w.keys = rules, &token.Keyring{}
	grants, err := w.bus.Bucket(ctx, bus.BucketGrants)
	if err != nil {
		return nil, err
	}
	asks, err := w.bus.Bucket(ctx, bus.BucketAsks)
	if err != nil {
		return nil, err
	}
	w.parker = &consent.Parker{Bus: w.bus, Asks: asks, Trail: w.records}
	return &gate.Gate{
		Policy: rules, Keys: w.keys, Grants: &consent.Grants{Bucket: grants}, Spend: w.bus.Spend, Park: w.park,
		TTL: w.cfg.Consent.TTL, Decided: w.kit.Metrics.Decided,
	}, nil
}

// newPolicy is the policy that a configuration asks for.
func newPolicy(cfg config.Config, changed func(policy.Change)) (*policy.Policy, error) {
	profile, err := policy.ParseProfile(cfg.Profile)
	if err != nil {
		return nil, err
	}
	tenants, err := policy.ParseTenants(cfg.Policy.Tenants)
	if err != nil {
		return nil, err
	}
	return policy.New(policy.Options{
		Profile: profile, Tenants: tenants, Rules: cfg.Policy.Rules, TTL: cfg.Consent.TTL,
		HighTTL: min(cfg.Consent.HighTTL, cfg.Consent.TTL), Changed: changed,
	})
}

// recordTimeout bounds writing a record that no call waits for.
const recordTimeout = 10 * time.Second

// rulesChanged puts on record, and into the log, which rules are in force.
func (w *Worker) rulesChanged(c policy.Change) {
	r := &audit.Record{Phase: audit.PolicyChanged, Tenant: systemTenant, By: w.ID(), Decision: &audit.Decision{Outcome: audit.Allowed}}
	if c.Err != nil {
		w.kit.Log.Error("policy rules refused; the old ones stay", zap.Error(c.Err))
		r.Decision.Outcome, r.Detail = audit.Blocked, "the new rules were refused; the old ones stay"
	} else {
		w.kit.Log.Info("policy rules in force", zap.Int("rules", c.Rules), zap.String("sha256", c.SHA256))
		r.Detail = fmt.Sprintf("%d rules in force, sha256 %s", c.Rules, c.SHA256)
	}
	ctx, cancel := context.WithTimeout(context.Background(), recordTimeout)
	defer cancel()
	if err := w.records.Write(ctx, r); err != nil {
		w.kit.Log.Error("change of policy not recorded", zap.Error(err))
	}
}

// systemTenant holds the records of what concerns every tenant.
const systemTenant = "default"

// park stores a job that waits for a person. The delivery it came with is the
// one that runs here.
func (w *Worker) park(ctx context.Context, j *engine.Job, a consent.Ask) error {
	run := w.running.get(j.Tenant, j.ID)
	if run == nil {
		return fmt.Errorf("call %s is not here any more", j.ID)
	}
	a.Request.Call.ToolCallID = run.delivery.ToolCallID
	return w.parker.Park(context.WithoutCancel(ctx), run.delivery.Envelope, a)
}
