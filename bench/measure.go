package bench

import (
	"cmp"
	"context"
	"fmt"
	"time"
)

// warmUp is the time for which callers call before they are timed.
func (o Options) warmUp() time.Duration { return min(o.Time/4, time.Second) }

// measure makes the caller process call in one way, and counts the CPU time of all
// processes of that way between the marks.
func (r *run) measure(ctx context.Context, w wire, callers int) (Figures, error) {
	err := r.caller.send(order{Load: load{
		Way: w.way, URL: w.url, Callers: callers, Warm: r.opts.warmUp(), Run: r.opts.Time,
	}})
	if err != nil {
		return Figures{}, err
	}
	if err := r.mark(ctx, markBegun, r.opts.warmUp()); err != nil {
		return Figures{}, err
	}
	before, err := usages(ctx, w.nodes)
	if err != nil {
		return Figures{}, err
	}
	if err := r.mark(ctx, markEnded, r.opts.Time); err != nil {
		return Figures{}, err
	}
	after, err := usages(ctx, w.nodes)
	if err != nil {
		return Figures{}, err
	}
	var t tally
	if err := r.caller.hear(ctx, callTimeout+answerTimeout, &t); err != nil {
		return Figures{}, err
	}
	return r.figures(w, t, before, after), nil
}

// mark waits for the caller's next mark.
func (r *run) mark(ctx context.Context, want string, after time.Duration) error {
	var got string
	if err := r.caller.hear(ctx, after+answerTimeout, &got); err != nil {
		return err
	}
	if got != want {
		return fmt.Errorf("the caller said %q in place of %q", got, want)
	}
	return nil
}

func usages(ctx context.Context, nodes []*node) ([]usage, error) {
	all := make([]usage, len(nodes))
	for i, n := range nodes {
		var err error
		if all[i], err = n.usage(ctx); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// figures combines the tally of a caller with the usage of the processes.
func (r *run) figures(w wire, t tally, before, after []usage) Figures {
	r.report.Failed += t.Failed
	if t.First != "" {
		r.report.FirstFailure = cmp.Or(r.report.FirstFailure, w.way+": "+t.First)
	}
	if t.Calls == 0 {
		return Figures{CPUEach: make([]Share, 1+len(w.nodes))}
	}
	calls := float64(t.Calls)
	f := Figures{P50: t.P50, P99: t.P99, Rate: calls / t.Seconds, CPUEach: []Share{{roleCaller, t.CPU / calls}}}
	for i, n := range w.nodes {
		f.CPUEach = append(f.CPUEach, Share{n.role, (after[i].CPU - before[i].CPU) / calls})
	}
	for _, s := range f.CPUEach {
		f.CPU += s.CPU
	}
	return f
}
