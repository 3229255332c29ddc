package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/ratelimit"
)

// rates counts calls where the operator bounds them.
type rates struct{ limiter *ratelimit.Limiter }

// openRates builds what counts calls; it is nil where nothing is bounded.
func (w *Worker) openRates(ctx context.Context) (engine.Rates, error) {
	if len(w.cfg.RateLimits) == 0 {
		return nil, nil
	}
	rules, err := ratelimit.ParseAll(w.cfg.RateLimits)
	if err != nil {
		return nil, fmt.Errorf("rate_limits: %w", err)
	}
	bucket, err := w.bus.Bucket(ctx, bus.BucketRates)
	if err != nil {
		return nil, err
	}
	taken := func(err error) bool { return errors.Is(err, bus.ErrExists) }
	return rates{ratelimit.New(rules, bucket, taken)}, nil
}

// Take implements [engine.Rates]. A rule may name a tool by an alias, and the tool by
// way of which a call came.
func (r rates) Take(ctx context.Context, j *engine.Job) (time.Duration, error) {
	called := names(j.Entry().Tool)
	if way := j.Way(); way != nil {
		called = append(called, way.Name)
	}
	return r.limiter.Take(ctx, j.Tenant, j.User, called...)
}
