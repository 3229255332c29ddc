package trail

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/audit/proof"
	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
)

// Pump writes the final records of calls, which are stored with their results, to the
// trail, and purges results that are old and written. One is enough for a system; run it
// under a lease. Two that run at the same time write no record twice.
type Pump struct {
	Queue *queue.Queue
	Log   *zap.Logger
	// Key signs the ranges that are written, Keys returns those that may have signed
	// earlier ones.
	Key  ed25519.PrivateKey
	Keys func(context.Context) ([]ed25519.PublicKey, error)
	// Proof proves the records that the pump writes itself, and Prove judges those that it reads;
	// both may be nil.
	Proof *proof.Process
	Prove audit.Prover
	// Note holds the place up to which everything is written.
	Note *natsio.Bucket
	// Keep is the time results are kept.
	Keep time.Duration
	// Keeper, if it is not nil, keeps calls for longer than their results.
	Keeper Keeper

	// oldest is when the oldest result was stored that was read and not written.
	oldest atomic.Int64

	mu sync.Mutex
	// written is the place in the results stream up to which every tenant is written.
	written uint64
	waiting []waiter

	// window are two places, the first of which is as far back as the next run reads
	// results again to remember their calls; shifted is when it moved.
	window  [2]uint64
	shifted time.Time
}

// Keeper keeps calls with their results. Its methods are called by one goroutine and must not
// wait for what is stored.
type Keeper interface {
	// Begin prepares for the results of a stream and returns the place up to which calls are
	// kept; from is where the pump goes on.
	Begin(ctx context.Context, results string, from uint64) (uint64, error)
	// Take keeps the i-th call of a result, the first result of that call.
	Take(f *stream.Final, i int)
	// Reached tells that all results up to a place were taken.
	Reached(seq uint64)
}

// waiter is a process that waits for a place.
type waiter struct {
	seq    uint64
	answer func()
}

const (
	// noteWritten is the key of the note.
	noteWritten = "results-written"
	// noteWindow is the key of the note of Pump.window, windowFor how long it spans at least.
	noteWindow = "results-window"
	windowFor  = 2 * time.Minute
	// gatherMost is the longest time that a record waits for others.
	gatherMost = 50 * time.Millisecond
	// purgeLeast and purgeMost bound how often results are purged.
	purgeLeast, purgeMost = time.Second, 30 * time.Second
	purgePart             = 8
	// waitersMost bounds those that wait: others ask again.
	waitersMost = 10_000
	// writeAgain is the pause before a block is written again.
	writeAgain = 250 * time.Millisecond
)

// Lag returns how long ago the oldest result was stored whose record this process has
// read and not written.
func (p *Pump) Lag() time.Duration {
	if at := p.oldest.Load(); at != 0 {
		return max(0, time.Since(time.Unix(0, at)))
	}
	return 0
}

// Run pumps until ctx ends, or until the streams cannot be read: call it again then. It
// goes on where the last run, of whatever process, has stopped.
func (p *Pump) Run(ctx context.Context) error {
	if len(p.Key) != ed25519.PrivateKeySize {
		return errors.New("the pump has no signing key")
	}
	results, err := stream.On(p.Queue.Conn).ResultsStream(ctx)
	if err != nil {
		return err
	}
	noted, err := p.Note.Get(ctx, noteWritten)
	if err != nil {
		return err
	}
	// Without a note of this stream it begins at the first result there is.
	from := placeIn(results, noted)
	p.mu.Lock()
	p.written, p.waiting = from, nil
	p.mu.Unlock()
	back, err := p.lookBack(ctx, results, from)
	if err != nil {
		return err
	}
	p.window, p.shifted = [2]uint64{back, from}, time.Now()
	if p.Keeper != nil {
		kept, err := p.Keeper.Begin(ctx, results, from)
		if err != nil {
			return err
		}
		back = min(back, kept)
	}
	p.oldest.Store(0)
	stop, err := stream.On(p.Queue.Conn).ServeWritten(p.await)
	if err != nil {
		return err
	}
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	var tidying sync.WaitGroup
	tidying.Go(func() { p.tidy(ctx, results) })
	defer tidying.Wait()
	defer cancel()
	g := pumpRun{Pump: p, stream: results, tenants: map[string]*tenant{}, from: from, seen: from}
	follow := stream.On(p.Queue.Conn).FollowFinals
	if p.Keeper != nil {
		follow = stream.On(p.Queue.Conn).FollowResults
	}
	return follow(ctx, back+1, func(f stream.Final) error { return g.take(ctx, f) }, func() error { return g.flush(ctx) })
}

// lookBack returns the place from which on results are read again to remember their calls.
// The first pump has noted none: then there is nothing to read again.
func (p *Pump) lookBack(ctx context.Context, results string, from uint64) (uint64, error) {
	note, err := p.Note.Get(ctx, noteWindow)
	if err != nil {
		return 0, err
	}
	if strings.HasPrefix(string(note), results+" ") {
		return min(placeIn(results, note), from), nil
	}
	return from, p.Note.Put(ctx, noteWindow, fmt.Appendf(nil, "%s %d", results, from))
}

// placeIn reads a note of a place in a stream; 0 if it is of another stream.
func placeIn(results string, note []byte) uint64 {
	text, _ := strings.CutPrefix(string(note), results+" ")
	seq, _ := strconv.ParseUint(text, 10, 64)
	return seq
}

// await calls answer when the results up to a place are written.
func (p *Pump) await(seq uint64, answer func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.written >= seq {
		answer()
		return
	}
	if len(p.waiting) < waitersMost {
		p.waiting = append(p.waiting, waiter{seq, answer})
	}
}

// reached answers those that wait for a place or an earlier one.
func (p *Pump) reached(seq uint64) {
	p.oldest.Store(0)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.written = max(p.written, seq)
	p.waiting = slices.DeleteFunc(p.waiting, func(w waiter) bool {
		if w.seq <= p.written {
			w.answer()
			return true
		}
		return false
	})
}

// tidy purges results and notes how far the trail is, until ctx ends.
func (p *Pump) tidy(ctx context.Context, results string) {
	tick := time.NewTicker(min(max(p.Keep/purgePart, purgeLeast), purgeMost))
	defer tick.Stop()
	for {
		if err := p.purge(ctx, results); err != nil && ctx.Err() == nil {
			p.Log.Warn("results not purged; trying again", zap.Error(err))
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (p *Pump) purge(ctx context.Context, results string) error {
	p.mu.Lock()
	written := p.written
	p.mu.Unlock()
	if written == 0 {
		return nil
	}
	if err := p.Note.Put(ctx, noteWritten, fmt.Appendf(nil, "%s %d", results, written)); err != nil {
		return err
	}
	if time.Since(p.shifted) >= windowFor {
		if err := p.Note.Put(ctx, noteWindow, fmt.Appendf(nil, "%s %d", results, p.window[1])); err != nil {
			return err
		}
		p.window, p.shifted = [2]uint64{p.window[1], written}, time.Now()
	}
	return stream.On(p.Queue.Conn).PurgeResults(ctx, p.Keep, written+1)
}
