package bench

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/helve-dev/helve/internal/x/device"
)

// SoakOptions configures a soak.
type SoakOptions struct {
	// Options has the rate; half of the measured capacity if 0.
	Options

	// For is the duration of the load.
	For time.Duration
	// Every is the time between samples; 0 for a two-hundredth of For, 1 s to 1 min.
	Every time.Duration
}

const (
	leastSoak, mostSoak = 5 * time.Second, 14 * 24 * time.Hour
	leastEvery          = 100 * time.Millisecond
	soakSamples         = 200
	soakCallers         = 64
	// soakWarmPart and soakWarmMost bound the time whose samples do not count.
	soakWarmPart, soakWarmMost = 5, 20 * time.Minute
	// soakCalibration is the part of For, and the longest time, for which the capacity is
	// measured.
	soakCalibrationPart, soakCalibrationMost = 10, 20 * time.Second
)

// Check returns the first problem of the options.
func (o SoakOptions) Check() error {
	switch {
	case o.For < leastSoak || o.For > mostSoak:
		return fmt.Errorf("a soak lasts %v to %v, not %v", leastSoak, mostSoak, o.For)
	case o.Every != 0 && (o.Every < leastEvery || o.Every > o.For/4):
		return fmt.Errorf("the time between samples must be %v to a quarter of the soak, not %v", leastEvery, o.Every)
	case o.Rate < 0:
		return fmt.Errorf("the rate must not be below 0")
	}
	return nil
}

// Soak calls tools of all kinds at half of the capacity of this machine and judges whether
// memory, goroutines, files and storage grow without end. If ctx ends, the report is about
// the time until then.
func Soak(ctx context.Context, opts SoakOptions) (report *SoakReport, err error) {
	if err := opts.Check(); err != nil {
		return nil, err
	}
	if opts.Every == 0 {
		opts.Every = min(max(opts.For/soakSamples, time.Second), time.Minute)
	}
	// The processes outlive an interrupt, so that calls in progress end.
	alive, kill := context.WithCancel(context.WithoutCancel(ctx))
	defer kill()
	f, err := newFleet(alive, opts.Options)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.close()) }()
	tools := filepath.Join(f.dir, "tools")
	if err := writeScripts(tools); err != nil {
		return nil, err
	}
	worker, err := f.worker(alive, "--tools", tools)
	if err != nil {
		return nil, err
	}
	dispatcher, err := f.dispatcher(alive)
	if err != nil {
		return nil, err
	}
	load, err := newMixed(alive, f.nats, dispatcher.ready["http"])
	if err != nil {
		return nil, err
	}
	defer load.close()
	s := soak{opts: opts, fleet: f, load: load, report: SoakReport{
		Machine: ThisMachine(), Load: loadAverage(), Asked: opts.For.Seconds(), Rate: opts.Rate,
	}}
	return s.run(ctx, alive, []*node{f.broker(), dispatcher, worker})
}

// soak is a soak in progress.
type soak struct {
	opts   SoakOptions
	fleet  *fleet
	load   *mixed
	report SoakReport
}

func (s *soak) run(ctx, alive context.Context, nodes []*node) (*SoakReport, error) {
	if err := s.calibrate(ctx, alive); err != nil {
		return nil, err
	}
	p := pacer{call: s.load.call, rate: s.report.Rate, callers: soakCallers}
	sampler, err := newSampler(s.fleet, nodes, p.made.Load)
	if err != nil {
		return nil, err
	}
	defer sampler.close()
	busy, stop := context.WithTimeout(ctx, s.opts.For)
	defer stop()
	began, ended := time.Now(), make(chan struct{})
	go func() {
		defer close(ended)
		p.run(alive, busy)
	}()
	s.opts.sayf("soak: load %.0f calls/s for %v", s.report.Rate, s.opts.For)
	warm := min(s.opts.For/soakWarmPart, soakWarmMost)
	wait(busy, warm)
	begun := time.Now()
	err = s.watch(busy, alive, sampler, &p)
	s.report.Measured, s.report.Interrupted = time.Since(begun).Seconds(), ctx.Err() != nil
	stop()
	<-ended
	s.report.Made = float64(p.made.Load()) / time.Since(began).Seconds()
	if err != nil {
		return nil, err
	}
	s.report.conclude(&p, sampler.all)
	return &s.report, nil
}

// calibrate measures the capacity, unless the rate is given, and checks that there is room
// for the files.
func (s *soak) calibrate(ctx, alive context.Context) error {
	warm, stopWarm := context.WithTimeout(ctx, time.Second)
	defer stopWarm()
	(&pacer{call: s.load.call, callers: soakCallers}).run(alive, warm)
	if s.report.Rate == 0 {
		length := min(s.opts.For/soakCalibrationPart, soakCalibrationMost)
		p := pacer{call: s.load.call, callers: soakCallers}
		timed, stop := context.WithTimeout(ctx, length)
		defer stop()
		began := time.Now()
		p.run(alive, timed)
		if first := p.first.Load(); first != nil {
			return fmt.Errorf("calibration: %d calls failed, the first: %s", p.failed.Load(), *first)
		}
		s.report.Capacity = float64(p.made.Load()) / time.Since(began).Seconds()
		s.report.Rate = s.report.Capacity / 2
		s.opts.sayf("soak: capacity %.0f calls/s", s.report.Capacity)
	}
	space, err := device.Of(s.fleet.dir)
	if err != nil {
		return err
	}
	perCall := soakFiles.Growth + soakIndex.Growth + soakStore.Growth
	if need := s.report.Rate * s.opts.For.Seconds() * perCall; need > float64(space.Free) {
		return fmt.Errorf("%.0f calls a second for %v need up to %.0f GB, and the device of %s has %.0f GB: use at most --rate %.0f, "+
			"a shorter --for, or a larger device as TMPDIR",
			s.report.Rate, s.opts.For, need/1e9, filepath.Dir(s.fleet.dir), float64(space.Free)/1e9,
			float64(space.Free)/perCall/s.opts.For.Seconds())
	}
	return ctx.Err()
}

// watch samples until busy ends.
func (s *soak) watch(busy, alive context.Context, sampler *sampler, p *pacer) error {
	tick := time.NewTicker(s.opts.Every)
	defer tick.Stop()
	const lines = 20
	for n, next := 0, time.Now(); busy.Err() == nil; n++ {
		if err := sampler.sample(alive); err != nil {
			return err
		}
		if time.Now().After(next) {
			next = time.Now().Add(s.opts.For / lines)
			s.opts.sayf("soak: %d calls, %d failed, %d samples", p.made.Load(), p.failed.Load(), n+1)
			s.fleet.trim()
		}
		select {
		case <-tick.C:
		case <-busy.Done():
		}
	}
	return nil
}
