package worker

import (
	"context"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/consent/store"
	"github.com/helve-dev/helve/internal/engine/gate"
	"github.com/helve-dev/helve/internal/execution"
	"github.com/helve-dev/helve/internal/execution/adapters"
	"github.com/helve-dev/helve/internal/identity/token"
	"github.com/helve-dev/helve/internal/policy"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/protocol"
)

// openGate builds the gate of a worker over NATS that is prepared.
func (w *Worker) openGate(ctx context.Context) (*gate.Gate, error) {
	rules, err := newPolicy(w.cfg, w.rulesChanged)
	if err != nil {
		return nil, err
	}
	w.rules, w.keys = rules, &token.Keyring{}
	w.rulesSince.Store(time.Now().Unix())
	grants, err := w.queue.Conn.Bucket(ctx, streams.BucketGrants)
	if err != nil {
		return nil, err
	}
	asks, err := w.queue.Conn.Bucket(ctx, streams.BucketAsks)
	if err != nil {
		return nil, err
	}
	parker := &consent.Parker{Queue: w.queue, Asks: asks, Ring: w.keys, Trail: w.trail}
	return &gate.Gate{
		Policy: rules, Keys: w.keys, Grants: &consent.Grants{Bucket: grants, Ring: w.keys}, Spend: store.On(w.queue).Spend,
		Park: adapters.Parker{Consents: parker, Calls: func() *execution.Executor { return w.calls }}.Park,

		TTL: w.cfg.Consent.TTL, StepTTL: w.cfg.Durable.ConsentTTL, Decided: w.kit.Metrics.Decided,
	}, nil
}

// newPolicy returns the policy of a configuration.
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

// recordTimeout bounds writing a record for which no call waits.
const recordTimeout = 10 * time.Second

// rulesChanged records and logs the rules that are in force.
func (w *Worker) rulesChanged(c policy.Change) {
	r := &protocol.AuditRecord{
		Phase:    protocol.AuditPolicyChanged,
		Tenant:   systemTenant,
		By:       w.ID(),
		Decision: &protocol.AuditDecision{Outcome: protocol.OutcomeAllowed},
	}
	w.rulesRefused.Store(c.Err != nil)
	if c.Err != nil {
		w.kit.Log.Error("policy rules refused; the old ones stay", zap.Error(c.Err))
		w.kit.Metrics.Count(telemetry.PolicyReloads, protocol.StatusError)
		r.Decision.Outcome, r.Detail = protocol.OutcomeBlocked, "the new rules were refused; the old ones stay"
	} else {
		w.kit.Metrics.Count(telemetry.PolicyReloads, protocol.StatusSuccess)
		w.rulesSince.Store(time.Now().Unix())
		w.kit.Log.Info("policy rules in force", zap.Int("rules", c.Rules), zap.String("sha256", c.SHA256))
		r.Detail = fmt.Sprintf("%d rules in force, sha256 %s", c.Rules, c.SHA256)
	}
	ctx, cancel := context.WithTimeout(context.Background(), recordTimeout)
	defer cancel()
	if err := w.trail.Write(ctx, r); err != nil {
		w.kit.Log.Error("change of policy not recorded", zap.Error(err))
	}
}

// systemTenant holds the records that concern every tenant.
const systemTenant = "default"
