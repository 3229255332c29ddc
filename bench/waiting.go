package bench

import (
	"context"
	"fmt"
	"time"
)

// waiting measures the cost of waiting calls: what processes use in an idle time before
// there are any, and in one of the same length while they wait.
type waiting struct {
	nodes  []*node
	length time.Duration

	clean, peak, held []usage // before, when all are parked, and after a collection
	idle, busy        []float64
}

func (w *waiting) before(ctx context.Context) (err error) {
	if w.clean, err = heldBy(ctx, w.nodes); err != nil {
		return err
	}
	w.idle, err = w.spend(ctx)
	return err
}

func (w *waiting) after(ctx context.Context) (err error) {
	if w.peak, err = usages(ctx, w.nodes); err != nil {
		return err
	}
	if w.held, err = heldBy(ctx, w.nodes); err != nil {
		return err
	}
	w.busy, err = w.spend(ctx)
	return err
}

// spend returns the CPU time that each idle process uses, in milliseconds per second.
func (w *waiting) spend(ctx context.Context) ([]float64, error) {
	before, err := usages(ctx, w.nodes)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	wait(ctx, w.length)
	after, err := usages(ctx, w.nodes)
	if err != nil {
		return nil, err
	}
	took := time.Since(began).Seconds()
	spent := make([]float64, len(w.nodes))
	for i := range spent {
		spent[i] = (after[i].CPU - before[i].CPU) / 1000 / took
	}
	return spent, nil
}

// spending runs something, which returns a count n, and records the CPU time that each
// process spent for one.
func spending(ctx context.Context, s *Sheet, nodes []*node, one string, do func() (n int, err error)) error {
	before, err := usages(ctx, nodes)
	if err != nil {
		return err
	}
	n, err := do()
	if err != nil {
		return err
	}
	after, err := usages(ctx, nodes)
	if err != nil {
		return err
	}
	for i, node := range nodes {
		s.put(node.role+"_cpu_us_per_"+one, (after[i].CPU-before[i].CPU)/float64(max(n, 1)), "CPU of the "+node.role+" for each")
	}
	return nil
}

func heldBy(ctx context.Context, nodes []*node) ([]usage, error) {
	all := make([]usage, len(nodes))
	for i, n := range nodes {
		var err error
		if all[i], err = n.held(ctx); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (w *waiting) report(s *Sheet) {
	const mib = 1 << 20
	for i, n := range w.nodes {
		put := func(name string, value float64, about string, args ...any) {
			s.put(n.role+"_"+name, value, fmt.Sprintf("%s: "+about, append([]any{n.role}, args...)...))
		}
		put("idle_cpu_ms_per_s", w.busy[i], "CPU while the calls wait (%.2f before there were any)", w.idle[i])
		put("rss_mib", float64(w.held[i].RSS)/mib, "memory while they wait, after a collection (%.1f before; %.1f when the last was parked)",
			float64(w.clean[i].RSS)/mib, float64(w.peak[i].RSS)/mib)
		put("goroutines", float64(w.held[i].Goroutines), "goroutines while they wait (%d before)", w.clean[i].Goroutines)
	}
}
