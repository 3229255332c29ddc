package schedule

import (
	"context"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/subject"
	"github.com/helve-dev/helve/internal/bus/timers"
)

// Sweeper makes the timers of all tasks again. Timers are missing after NATS lost its data,
// and after tasks came into a database by an import or a restored backup. A timer that is
// there is replaced by itself, so a sweep may happen at any time.
//
// It sweeps when it is asked to, and every [sweepEvery] for changes that nobody reports. A
// lease lets one process sweep at a time.
type Sweeper struct {
	// Queue requests the tasks from workers and stores the timers.
	Queue *queue.Queue
	// Pool returns the pool whose workers have the tasks; empty if there is none.
	Pool func() string
	Log  *zap.Logger

	asked chan struct{}
}

const (
	// sweepEvery is the interval of sweeps that nobody asked for.
	sweepEvery = time.Hour
	// sweepSoon is the pause before a sweep, in which requests for others gather.
	sweepSoon = 300 * time.Millisecond
	// sweepAgain is the pause before a sweep that failed is repeated.
	sweepAgain = 5 * time.Second
	sweepLease = "schedule-sweep"
	sweepTTL   = 15 * time.Second
	// sweepPage is the number of tasks that are read at a time, sweepAtOnce the number of
	// timers that are stored at a time.
	sweepPage   = 500
	sweepAtOnce = 32
)

// NewSweeper returns a sweeper that begins with a sweep when it runs.
func NewSweeper(q *queue.Queue, pool func() string, log *zap.Logger) *Sweeper {
	s := &Sweeper{Queue: q, Pool: pool, Log: log, asked: make(chan struct{}, 1)}
	s.Sweep()
	return s
}

// Sweep requests a sweep soon.
func (s *Sweeper) Sweep() {
	select {
	case s.asked <- struct{}{}:
	default:
	}
}

// Run sweeps until ctx ends.
func (s *Sweeper) Run(ctx context.Context) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-s.asked:
		}
		natsio.Pause(ctx, sweepSoon)
		select {
		case <-s.asked: // that one is done now too
		default:
		}
		if s.Pool() == "" {
			continue // Sweep is called when workers come
		}
		n := 0
		err := s.Queue.Conn.Lease(ctx, sweepLease, sweepTTL, func(ctx context.Context) (err error) {
			n, err = s.sweep(ctx)
			if err != nil && ctx.Err() == nil {
				s.Log.Warn("timers of scheduled tasks not restored; trying again", zap.Duration("in", sweepAgain), zap.Error(err))
				natsio.Pause(ctx, sweepAgain)
				s.Sweep()
				return nil // so that the lease is free meanwhile
			}
			return err
		})
		if err == nil {
			s.Log.Debug("timers of scheduled tasks restored", zap.Int("timers", n))
		}
	}
}

// sweep sets the timer of each task that needs one, and returns their number.
func (s *Sweeper) sweep(ctx context.Context) (n int, err error) {
	pool := s.Pool()
	if pool == "" { // its last worker left meanwhile
		return 0, nil
	}
	for after := ""; ; {
		bounded, cancel := context.WithTimeout(ctx, ask)
		page, err := s.Queue.Data.Timers(bounded, pool, peer.DataRequest{
			Op:     peer.DataTimers,
			Tenant: subject.System,
			After:  after,
			Limit:  sweepPage,
		})
		cancel()
		if err != nil {
			return n, err
		}
		if err := s.set(ctx, pool, page.Timers); err != nil {
			return n, err
		}
		n += len(page.Timers)
		if after = page.Next; after == "" {
			return n, nil
		}
	}
}

func (s *Sweeper) set(ctx context.Context, pool string, needed []peer.TaskTimer) error {
	var all sync.WaitGroup
	slots, failed := make(chan struct{}, sweepAtOnce), make(chan error, len(needed))
	for _, t := range needed {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			if err := s.Queue.Timers.Set(ctx, timers.Task{Tenant: t.Tenant, Pool: pool, Person: t.Person, ID: t.ID}, t.At); err != nil {
				failed <- err
			}
		})
	}
	all.Wait()
	select {
	case err := <-failed:
		return err
	default:
		return nil
	}
}
