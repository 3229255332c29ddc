package program

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/callbacks"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/programs"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/durable"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/x/failpoint"
	"github.com/helve-dev/helve/internal/x/gopool"
	"github.com/helve-dev/helve/protocol"
)

const (
	// LeaseTTL is the time of the lease under which one dispatcher wakes programs.
	LeaseTTL = 5 * time.Second
	// lookAgain is the longest time between two looks at a program: the word of a result may
	// be lost with a connection.
	lookAgain = 15 * time.Second
	// lookAtOnce bounds the looks at the same time, and lookTime one look.
	lookAtOnce = 16
	lookTime   = 15 * time.Second
	// queuedLong is the time after which a program that is queued is looked for: a message
	// of the queue can expire, or be lost with it.
	queuedLong = 5 * time.Minute
	// tick is the precision of the times at which programs are woken.
	tick = 20 * time.Millisecond
)

// waker wakes programs while this process has the lease.
type waker struct {
	*Service
	ends  *callbacks.Ends
	slots chan struct{}
	work  gopool.Group

	mu      sync.Mutex
	watched map[programs.Key]*watched
}

// watched is a program that waits, or is queued.
type watched struct {
	remove []func()
	next   time.Time
	busy   bool
	again  bool // it changed while it was looked at
	fails  int  // looks that failed, one after the other
}

// Wake wakes programs until ctx ends. One dispatcher does that: run it under a lease.
func (s *Service) Wake(ctx context.Context) error {
	w := &waker{
		Service: s, ends: callbacks.On(s.Queue).WatchEnds(), slots: make(chan struct{}, lookAtOnce), watched: map[programs.Key]*watched{},
	}
	w.index.each(func(k *known) { defer w.follow(ctx, k.key, k) })
	go w.ends.Run(ctx, func(tenant, callID string) {
		if outer, _, ok := cutStep(callID); ok {
			w.look(ctx, programs.Key{Tenant: tenant, CallID: outer})
		}
	})
	clock := time.NewTicker(tick)
	defer clock.Stop()
	for {
		select {
		case <-ctx.Done():
			w.work.Wait()
			w.forgetAll()
			return context.Cause(ctx)
		case <-w.index.changed:
			for _, key := range w.index.takeTouched() {
				w.follow(ctx, key, w.index.get(key))
			}
		case now := <-clock.C:
			for _, key := range w.due(now) {
				w.look(ctx, key)
			}
		}
	}
}

// follow watches what a program waits for, as it is now.
func (w *waker) follow(ctx context.Context, key programs.Key, k *known) {
	w.mu.Lock()
	old := w.watched[key]
	if old != nil {
		for _, remove := range old.remove {
			remove()
		}
		old.remove = nil
	}
	if k == nil || k.state == durable.Done {
		delete(w.watched, key)
		w.mu.Unlock()
		if k == nil { // it has been shown for long enough, or its person's data was deleted
			was := w.index.takeGone(key)
			w.work.Go(func() {
				if was == nil || !w.endGone(ctx, was) {
					w.removeJournal(ctx, key)
				}
			})
		}
		return
	}
	if old == nil {
		old = &watched{}
		w.watched[key] = old
	}
	if k.state == durable.Queued {
		old.next = time.UnixMilli(k.atMS).Add(queuedLong)
		w.mu.Unlock()
		return
	}
	for _, wait := range k.waits {
		if wait.CallID == "" {
			continue
		}
		if remove, err := w.ends.Add(key.Tenant, wait.CallID); err == nil {
			old.remove = append(old.remove, remove)
		}
	}
	old.next = time.Now().Add(lookAgain)
	w.mu.Unlock()
	w.look(ctx, key) // it may have come meanwhile
}

func (w *waker) removeJournal(ctx context.Context, key programs.Key) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	p, _, err := w.Store.Read(ctx, key)
	if p == nil && err == nil { // else its id was used again
		err = w.Store.RemoveJournal(ctx, key)
	}
	if err != nil && ctx.Err() == nil {
		w.Log.Warn("journal of a program not removed; it expires", zap.String("call", key.Tenant+"/"+key.CallID), zap.Error(err))
	}
}

func (w *waker) forgetAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, of := range w.watched {
		for _, remove := range of.remove {
			remove()
		}
	}
	clear(w.watched)
}

// due returns the programs that are to be looked at.
func (w *waker) due(now time.Time) (keys []programs.Key) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for key, of := range w.watched {
		if !of.next.After(now) {
			keys = append(keys, key)
		}
	}
	return keys
}

// look looks at a program, unless that is happening; then it is looked at another time.
func (w *waker) look(ctx context.Context, key programs.Key) {
	w.mu.Lock()
	defer w.mu.Unlock()
	of := w.watched[key]
	switch {
	case of == nil || ctx.Err() != nil:
		return
	case of.busy:
		of.again = true
		return
	}
	of.busy, of.again, of.next = true, false, time.Now().Add(lookAgain)
	w.work.Go(func() { w.lookNow(ctx, key, of) })
}

func (w *waker) lookNow(ctx context.Context, key programs.Key, of *watched) {
	select {
	case w.slots <- struct{}{}:
	case <-ctx.Done():
		return
	}
	bounded, cancel := context.WithTimeout(ctx, lookTime)
	next, err := w.wake(bounded, key)
	cancel()
	<-w.slots
	w.mu.Lock()
	if of.fails++; err == nil {
		of.fails = 0
	}
	if err != nil && ctx.Err() == nil {
		level := zap.DebugLevel
		if of.fails == 1 { // of many programs, and for as long as an outage lasts
			level = zap.WarnLevel
		}
		w.Log.Log(level, "program not looked at; trying again", zap.String("call", key.Tenant+"/"+key.CallID), zap.Error(err))
		next = time.Now().Add(failedPause(of.fails))
	}
	of.busy = false
	if !next.IsZero() {
		of.next = next
	}
	more := of.again && ctx.Err() == nil
	w.mu.Unlock()
	if more {
		w.look(ctx, key)
	}
}

// failedPause returns the time until a program is looked at again after looks that failed.
func failedPause(fails int) time.Duration { return min(time.Second<<min(fails-1, 10), lookAgain) }

// wake queues a program again if what it waits for is there, and returns when to look again.
func (w *waker) wake(ctx context.Context, key programs.Key) (next time.Time, err error) {
	p, revision, err := w.Store.Read(ctx, key)
	switch {
	case p == nil || err != nil || p.State == durable.Done:
		return time.Time{}, err
	case p.Cancelled:
		return time.Time{}, w.conclude(ctx, key)
	case p.State == durable.Queued:
		return w.find(ctx, key, p, revision)
	}
	now := time.Now()
	next = now.Add(lookAgain)
	if until := p.Deadline(); until.Before(next) {
		next = until
	}
	events, ready := []durable.Event(nil), !now.Before(p.Deadline())
	for i := range p.Waits {
		at, event, there, err := w.ready(ctx, key, &p.Waits[i], now)
		if err != nil {
			return time.Time{}, err
		}
		if event != nil {
			events = append(events, *event)
		}
		ready = ready || there
		if !at.IsZero() && at.Before(next) {
			next = at
		}
	}
	if !ready {
		return next, nil
	}
	return time.Time{}, w.requeue(ctx, key, p, revision, events)
}

// ready reports whether one thing that a program waits for is there, as an event for the
// journal where it is the result of a step. At is when a time comes.
func (w *waker) ready(
	ctx context.Context, key programs.Key, wait *protocol.ProgramWait, now time.Time,
) (at time.Time, event *durable.Event, there bool, err error) {
	if wait.Kind == protocol.WaitSleep {
		return *wait.Until, nil, !wait.Until.After(now), nil
	}
	rec, err := w.Queue.Calls.Accepted(ctx, key.Tenant, wait.CallID)
	if err != nil {
		return at, nil, false, err
	}
	inner := w.index.get(programs.Key{Tenant: key.Tenant, CallID: wait.CallID})
	if rec == nil && inner != nil { // a program lives longer than its acceptance
		rec = inner.acceptance()
	}
	if rec == nil { // it was never accepted: a turn makes it
		return at, nil, true, nil
	}
	data, err := w.calls.Outcome(ctx, key.Tenant, wait.CallID, *rec)
	if err != nil {
		return at, nil, false, err
	}
	if data == nil && inner != nil && inner.state != durable.Done {
		return at, nil, false, nil // while it waits it is in no queue, and it is not lost
	}
	if data == nil {
		lost, err := w.lost(ctx, key.Tenant, wait, rec, now)
		return at, nil, lost, err
	}
	el := new(element)
	if err := json.Unmarshal(data, el, lenient, jsontext.AllowDuplicateNames(true)); err != nil {
		return at, nil, false, err
	}
	_, n, _ := cutStep(wait.CallID)
	if len(el.Result) > durable.MaxValue || el.ResultRef != nil {
		return at, nil, true, nil // a turn reads it
	}
	f := &flight{step: durable.Step{N: n, Tool: rec.Tool}}
	f.end(&session{key: key}, el)
	return at, &f.event, true, nil
}

// stepLost is the time after its acceptance after which a step is looked for that is in no queue.
const stepLost = 5 * time.Second

// lost reports whether a step may be lost: it was accepted, and neither a queue nor a worker has
// it, nor, as far as the program knows, a person. A turn of the program makes it again.
func (w *waker) lost(ctx context.Context, tenant string, wait *protocol.ProgramWait, rec *queue.Acceptance, now time.Time) (bool, error) {
	if wait.ConsentID != "" || now.Sub(time.UnixMilli(rec.AcceptedMS)) < stepLost || w.Queue.Owners.Find(ctx, tenant, wait.CallID) != nil {
		return false, nil
	}
	queued, err := w.Queue.Inspector.InLane(ctx, tenant, rec.Pool, rec.Tool, wait.CallID)
	return !queued, err
}

// requeue stores what a program waited for, and queues it again: in this order, so that who is
// killed in between leaves nothing undone that another one does not do again.
func (w *waker) requeue(ctx context.Context, key programs.Key, p *durable.Program, revision uint64, events []durable.Event) error {
	events = events[:fitting(events)] // a turn reads the others
	if len(events) > 0 {
		now := max(time.Now().UnixMilli(), p.ChangedMS) // another dispatcher's clock may be ahead
		for i := range events {
			events[i].NowMS = now
		}
		last, size, err := w.Store.Append(ctx, key, p, &durable.Entry{AtMS: now, Events: events}, p.Last)
		if err == nil {
			p.Last = last
			w.count(telemetry.ProgramJournal, size)
		} else if !errors.Is(err, natsio.ErrExists) { // else it was woken before, by another process
			return err
		}
	}
	if err := failpoint.Hit(failpoint.ProgramWoken); err != nil {
		return err
	}
	if err := w.submit(ctx, p, p.Wake+1); err != nil {
		return err
	}
	if err := failpoint.Hit(failpoint.ProgramRequeued); err != nil {
		return err
	}
	p.State, p.Wake, p.Waits, p.Brought, p.WokenMS = durable.Queued, p.Wake+1, nil, len(events), time.Now().UnixMilli()
	err := w.Store.Change(ctx, key, p, revision)
	if errors.Is(err, natsio.ErrExists) {
		return nil // a worker was quicker
	}
	return err
}

func (w *waker) submit(ctx context.Context, p *durable.Program, wake int) error {
	c := p.CallFor(wake)
	if len(c.Arguments) > queue.InlineLimit {
		if err := w.Queue.Calls.StoreArguments(ctx, c); err != nil {
			return err
		}
	}
	done := make(chan error, 1)
	w.Queue.Calls.Submit(c, func(err error) { done <- err })
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// cutStep returns the program and the number of a step.
func cutStep(callID string) (outer string, n int, ok bool) {
	at := strings.LastIndexByte(callID, '~')
	if at < 0 {
		return "", 0, false
	}
	n, err := strconv.Atoi(callID[at+1:])
	return callID[:at], n, err == nil
}
