package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"
)

// system is one of the two that are compared.
type system interface {
	name() string
	// disk is the directory with everything that it stores.
	disk() string
	worker(ctx context.Context, n int) (*process, error)
	// run runs a job to its end.
	run(ctx context.Context, id string, steps int, pause time.Duration) error
	history(ctx context.Context, id string, steps int) (bytes, entries int64, err error)
	ended(ctx context.Context, id string) ([]time.Time, error)
	close()
}

// figures are those of one system.
type figures struct {
	alone, together  []float64       // steps a second: of one job, of several at the same time
	resumed          []time.Duration // from the death of a worker to the end of the next step
	bytes, entries   int64
	diskBytesForEach int64
}

const (
	// slowStep is the time of a step of a job whose worker is killed.
	slowStep = 20 * time.Millisecond
	// beforeKill is the time for which such a job runs before.
	beforeKill = time.Second
)

func measure(ctx context.Context, o options) error {
	dir, err := os.MkdirTemp("", "helve-temporal-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	t, err := startTemporal(ctx, dir)
	if err != nil {
		return err
	}
	defer t.close()
	h, err := startHelve(ctx, dir, o)
	if err != nil {
		return err
	}
	defer h.close()
	both := []system{h, t}
	all := make([]figures, len(both))
	if err := rates(ctx, o, both, all); err != nil {
		return err
	}
	for i, s := range both {
		if all[i].resumed, err = resumes(ctx, o, s); err != nil {
			return fmt.Errorf("%s: %w", s.name(), err)
		}
	}
	for i, s := range both {
		all[i].print(s.name(), o)
	}
	return nil
}

// rates measures jobs of both systems in alternating rounds.
func rates(ctx context.Context, o options, both []system, all []figures) error {
	for i, s := range both {
		w, err := s.worker(ctx, 0)
		if err != nil {
			return err
		}
		defer w.stop()
		if err := s.run(ctx, "first", o.steps, 0); err != nil { // it opens what the others need
			return fmt.Errorf("%s: %w", s.name(), err)
		}
		before := used(s.disk())
		for n := range o.jobs {
			if err := s.run(ctx, fmt.Sprintf("disk-%d", n), o.steps, 0); err != nil {
				return err
			}
		}
		all[i].diskBytesForEach = (used(s.disk()) - before) / int64(o.jobs)
	}
	for n := range o.jobs {
		for i, s := range both {
			id := fmt.Sprintf("job-%d", n)
			began := time.Now()
			if err := s.run(ctx, id, o.steps, 0); err != nil {
				return fmt.Errorf("%s: %w", s.name(), err)
			}
			all[i].alone = append(all[i].alone, float64(o.steps)/time.Since(began).Seconds())
			var err error
			if n == 0 {
				if all[i].bytes, all[i].entries, err = s.history(ctx, id, o.steps); err != nil {
					return err
				}
			}
		}
	}
	for round := range 3 {
		for i, s := range both {
			rate, err := together(ctx, o, s, round)
			if err != nil {
				return fmt.Errorf("%s: %w", s.name(), err)
			}
			all[i].together = append(all[i].together, rate)
		}
	}
	return nil
}

// together returns the steps a second of several jobs at the same time.
func together(ctx context.Context, o options, s system, round int) (float64, error) {
	failed := make(chan error, o.among)
	began := time.Now()
	var jobs sync.WaitGroup
	for n := range o.among {
		jobs.Go(func() { failed <- s.run(ctx, fmt.Sprintf("among-%d-%d", round, n), o.steps, 0) })
	}
	jobs.Wait()
	took := time.Since(began)
	for range o.among {
		if err := <-failed; err != nil {
			return 0, err
		}
	}
	return float64(o.among*o.steps) / took.Seconds(), nil
}

// resumes kills the only worker in the middle of jobs, starts another one immediately, and returns the
// time from the kill to the end of the next step.
func resumes(ctx context.Context, o options, s system) (took []time.Duration, err error) {
	w, err := s.worker(ctx, 1)
	if err != nil {
		return nil, err
	}
	defer func() { w.stop() }()
	for n := range o.kills {
		id := fmt.Sprintf("killed-%d", n)
		end := make(chan error, 1)
		go func() { end <- s.run(ctx, id, o.steps, slowStep) }()
		select {
		case err := <-end:
			return nil, fmt.Errorf("the job ended before its worker was killed: %w", err)
		case <-time.After(beforeKill):
		}
		killed := time.Now()
		w.kill()
		if w, err = s.worker(ctx, n+2); err != nil {
			return nil, err
		}
		if err := <-end; err != nil {
			return nil, err
		}
		steps, err := s.ended(ctx, id)
		if err != nil {
			return nil, err
		}
		next := slices.IndexFunc(steps, func(at time.Time) bool { return at.After(killed) })
		if next <= 0 {
			return nil, fmt.Errorf("job %s was not cut off: %d steps, the next is %d", id, len(steps), next)
		}
		took = append(took, steps[next].Sub(killed))
	}
	return took, nil
}

func (f *figures) print(name string, o options) {
	slices.Sort(f.alone)
	slices.Sort(f.together)
	slices.Sort(f.resumed)
	fmt.Printf("%s\n", name)
	fmt.Printf("  steps a second, one job       %8.0f  (median of %d jobs of %d steps)\n", f.alone[len(f.alone)/2], len(f.alone), o.steps)
	fmt.Printf("  steps a second, %2d jobs       %8.0f  (median of %d rounds)\n", o.among, f.together[len(f.together)/2], len(f.together))
	fmt.Printf("  history of a job              %8d  bytes in %d entries\n", f.bytes, f.entries)
	fmt.Printf("  disk for a job                %8d  bytes, everything that is stored\n", f.diskBytesForEach)
	if n := len(f.resumed); n > 0 {
		fmt.Printf("  resumed after kill -9         %8.2f  s (median of %d; %.2f to %.2f)\n",
			f.resumed[n/2].Seconds(), n, f.resumed[0].Seconds(), f.resumed[n-1].Seconds())
	}
}
