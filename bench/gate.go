package bench

import (
	"context"
	"time"
)

// gates measures the gate in a process of its own: its overhead for a call that needs
// no approval, and the cost of its parts for a call that does.
func gates(ctx context.Context, f *fleet, s *Sheet) error {
	prober, err := f.start(ctx, roleGate, f.nats, f.dir)
	if err != nil {
		return err
	}
	o := probing{Time: min(f.opts.Time, time.Second), Rounds: f.opts.Rounds}
	seen, err := obeyed[[]probed](ctx, prober, order{Gate: o}, time.Duration(o.Rounds*probeCount)*o.Time)
	if err != nil {
		return err
	}
	bare := seen[0] // the engine without a gate
	for _, p := range seen {
		s.put(p.Name+"_p50_us", p.P50, p.About+", median")
		s.put(p.Name+"_p99_us", p.P99, "")
		if p.Engine && p.Name != bare.Name {
			s.put(p.Name+"_adds_p50_us", p.P50-bare.P50, "of it the gate")
		}
	}
	return nil
}
