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
	var rules []ratelimit.Rule
	for _, text := range w.cfg.RateLimits {
		r, err := ratelimit.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("rate_limits: %w", err)
		}
		rules = append(rules, r)
	}
	bucket, err := w.bus.Bucket(ctx, bus.BucketRates)
	if err != nil {
		return nil, err
	}
	taken := func(err error) bool { return errors.Is(err, bus.ErrExists) }
	return rates{ratelimit.New(rules, bucket, taken)}, nil
}

// Take implements [engine.Rates].
func (r rates) Take(ctx context.Context, j *engine.Job) (time.Duration, error) {
	return r.limiter.Take(ctx, j.Tenant, j.User, j.Tool)
}
