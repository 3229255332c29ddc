package worker

import (
	"context"
	"errors"
	"fmt"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/engine/gate"
	"github.com/helve-dev/helve/internal/policy/ratelimit"
	"github.com/helve-dev/helve/internal/telemetry"
)

// openRates returns the counter of calls; nil if nothing is bounded.
func (w *Worker) openRates(ctx context.Context) (engine.Rates, error) {
	if len(w.cfg.RateLimits) == 0 {
		return nil, nil
	}
	rules, err := ratelimit.ParseAll(w.cfg.RateLimits)
	if err != nil {
		return nil, fmt.Errorf("rate_limits: %w", err)
	}
	limiter, err := openLimiter(ctx, w.kit, w.queue, rules)
	if err != nil {
		return nil, err
	}
	return gate.Rates{Limiter: limiter}, nil
}

// openLimiter returns a limiter whose counts all workers share.
func openLimiter(ctx context.Context, kit *telemetry.Kit, q *queue.Queue, rules []ratelimit.Rule) (*ratelimit.Limiter, error) {
	bucket, err := q.Conn.Bucket(ctx, streams.BucketRates)
	if err != nil {
		return nil, err
	}
	limiter := ratelimit.New(rules, bucket, func(err error) bool { return errors.Is(err, natsio.ErrExists) })
	for _, r := range rules {
		kit.Metrics.Add(telemetry.RateLimited, 0, r.String())
	}
	limiter.Refused = func(r ratelimit.Rule) { kit.Metrics.Count(telemetry.RateLimited, r.String()) }
	return limiter, nil
}
