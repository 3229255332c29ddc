package worker

import (
	"context"
	"fmt"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/policy/ratelimit"
	"github.com/helve-dev/helve/internal/ports/outward"
	"github.com/helve-dev/helve/internal/telemetry"
)

// openOutward opens the circuits of servers outside and the limits of services, whose state
// is measured until stop is called.
func (p *ports) openOutward(ctx context.Context, cfg config.Config, kit *telemetry.Kit, q *queue.Queue) (stop func(), err error) {
	options := outward.Options{Opened: func(tenant, address string) {
		kit.Metrics.Count(telemetry.CircuitOpenings)
		kit.Log.Warn("circuit opened", zap.String("tenant", tenant), zap.String("server", address), zap.Duration("for", outward.OpenFor))
	}}
	if len(cfg.ServiceRateLimits) > 0 {
		rules := make([]string, len(cfg.ServiceRateLimits))
		for i, text := range cfg.ServiceRateLimits {
			rules[i] = outward.RatePrefix + text
		}
		parsed, err := ratelimit.ParseAll(rules)
		if err != nil {
			return nil, fmt.Errorf("service_rate_limits: %w", err)
		}
		if options.Rates, err = openLimiter(ctx, kit, q, parsed); err != nil {
			return nil, err
		}
	}
	o := outward.New(options)
	p.Outward = o
	return kit.Metrics.Read(func(set telemetry.Set) {
		for state, n := range o.Count() {
			set(telemetry.Circuits, float64(n), state)
		}
	}), nil
}

// circuitsMost bounds the servers in one answer.
const circuitsMost = 20

// openCircuits returns the servers that keep failing for this worker, as an answer.
func (w *Worker) openCircuits() peer.OpenCircuits {
	failing := w.outward.Failing()
	open := peer.OpenCircuits{More: max(0, len(failing)-circuitsMost)}
	for _, f := range failing[:len(failing)-open.More] {
		open.Named = append(open.Named, peer.OpenCircuit(f))
	}
	return open
}
