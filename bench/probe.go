package bench

import (
	"context"
	"fmt"
	"time"
)

// probing is the task of a gate process: time each of its probes for Time in each of
// Rounds rounds, in turn.
type probing struct {
	Time   time.Duration `json:"time"`
	Rounds int           `json:"rounds"`
}

// probe is one operation that is timed repeatedly.
type probe struct {
	name, about string
	engine      bool // it runs a call through a complete engine
	slow        bool // it needs no warm-up
	// ready prepares a call; it is not timed and may be nil.
	ready func() error
	call  func(ctx context.Context) error
	times histogram
}

// probed holds the measurements of a probe, in microseconds.
type probed struct {
	Name   string  `json:"name"`
	About  string  `json:"about"`
	Engine bool    `json:"engine"`
	P50    float64 `json:"p50_us"`
	P99    float64 `json:"p99_us"`
}

// run times the probes of a gate on NATS at url, whose rules are in dir.
func (o probing) run(ctx context.Context, url, dir string) ([]probed, error) {
	parts, err := newGateParts(ctx, url, dir)
	if err != nil {
		return nil, err
	}
	defer parts.queue.Close()
	probes, err := parts.probes()
	if err != nil {
		return nil, err
	}
	for range o.Rounds {
		for _, p := range probes {
			if err := p.time(ctx, o.Time); err != nil {
				return nil, fmt.Errorf("%s: %w", p.about, err)
			}
		}
	}
	seen := make([]probed, len(probes))
	for i, p := range probes {
		seen[i] = probed{p.name, p.about, p.engine, p.times.quantile(0.50), p.times.quantile(0.99)}
	}
	return seen, nil
}

// probeWarmUp is the number of calls of each round that are not counted, unless they
// take all of its time.
const probeWarmUp = 100

// time makes calls for the given time.
func (p *probe) time(ctx context.Context, length time.Duration) error {
	end, warmUp := time.Now().Add(length), probeWarmUp
	if p.slow {
		warmUp = 1
	}
	for n := 0; ctx.Err() == nil; n++ {
		if p.ready != nil {
			if err := p.ready(); err != nil {
				return err
			}
		}
		began := time.Now()
		if err := p.call(ctx); err != nil {
			return err
		}
		now := time.Now()
		over := now.After(end)
		if n >= warmUp || over {
			p.times.add(now.Sub(began))
		}
		if over {
			return nil
		}
	}
	return context.Cause(ctx)
}
