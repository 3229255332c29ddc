// Package ratelimit bounds how often calls are made, across all workers.
//
// It keeps one number for each rule and caller where all workers find it: when the
// calls that were let through so far would have come if they had come evenly (the
// generic cell rate algorithm). A call is one too many when that lies further ahead
// than the rule's time.
//
// It promises that no more than a rule's count are let through at once, and no more
// than the rate after that, however many workers ask at the same moment: a state is
// replaced only as it was read; and that no call is refused while there is room,
// however many come at once. It does not promise fairness between callers, and it
// believes the clocks of the workers: one that is ahead by a second lets through
// what a second brings. A call that one rule lets through and another refuses is
// counted by the first all the same.
package ratelimit

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Store keeps small values that all workers see.
type Store interface {
	// Get returns a value, nil if there is none.
	Get(ctx context.Context, key string) ([]byte, error)
	// Create stores a value where there is none.
	Create(ctx context.Context, key string, value []byte) error
	// Replace stores a value in place of old.
	Replace(ctx context.Context, key string, old, value []byte) error
}

// Limiter applies rules. It is safe for concurrent use.
type Limiter struct {
	rules []Rule
	store Store
	// taken tells the error of a store that says "somebody was faster".
	taken func(error) bool
	now   func() time.Time

	mu sync.Mutex
	// waiting are the calls that wait for each state; there is an entry, perhaps an
	// empty one, where somebody serves them.
	waiting map[string][]ask
}

// New returns a limiter over a store; taken recognises the error of a Create or
// Replace that somebody else was faster than.
func New(rules []Rule, store Store, taken func(error) bool) *Limiter {
	return &Limiter{rules: rules, store: store, taken: taken, now: time.Now, waiting: map[string][]ask{}}
}

// Take counts a call of a tool, by all the names it can be meant by. A wait above 0 means that it is one too many, and
// how long until it is not; the longest, where more than one rule says so.
func (l *Limiter) Take(ctx context.Context, tenant, user string, names ...string) (time.Duration, error) {
	var longest time.Duration
	for _, r := range l.rules {
		if !slices.ContainsFunc(names, r.covers) {
			continue
		}
		wait, err := l.take(ctx, r, r.key(tenant, user))
		if err != nil {
			return 0, err
		}
		longest = max(longest, wait)
	}
	return longest, nil
}

// ask is a call that waits for its turn at a state.
type ask struct{ answered chan answer }

type answer struct {
	wait time.Duration
	err  error
}

// take counts a call together with all others of this process that wait for the same
// state: only processes get into each other's way there, however many calls come.
func (l *Limiter) take(ctx context.Context, r Rule, key string) (time.Duration, error) {
	a := ask{answered: make(chan answer, 1)}
	l.mu.Lock()
	waiting, busy := l.waiting[key]
	l.waiting[key] = append(waiting, a)
	l.mu.Unlock()
	if !busy {
		go l.serve(context.WithoutCancel(ctx), r, key)
	}
	select {
	case got := <-a.answered:
		return got.wait, got.err
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
}

// serve answers those who wait for a state, until nobody does.
func (l *Limiter) serve(ctx context.Context, r Rule, key string) {
	for {
		l.mu.Lock()
		asks := l.waiting[key]
		if len(asks) == 0 {
			delete(l.waiting, key)
			l.mu.Unlock()
			return
		}
		l.waiting[key] = nil
		l.mu.Unlock()
		waits, err := l.count(ctx, r, key, len(asks))
		for i, a := range asks {
			got := answer{err: err}
			if err == nil {
				got.wait = waits[i]
			}
			a.answered <- got
		}
	}
}

const (
	// maxTries is how often a state is read anew because another process was faster.
	// Each time one of them gets through, with all that wait there.
	maxTries = 50
	// maxWait bounds all of that.
	maxWait = 10 * time.Second
)

var errCrowded = errors.New("too many processes count calls at once")

// count adds n calls to a state, and returns how long each of them has to wait.
func (l *Limiter) count(ctx context.Context, r Rule, key string, n int) ([]time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	waits := make([]time.Duration, n)
	for try := range maxTries {
		old, err := l.store.Get(ctx, key)
		if err != nil {
			return nil, err
		}
		state, now := old, l.now()
		for i := range waits {
			var next []byte
			if next, waits[i] = r.step(state, now); waits[i] <= 0 {
				state = next
			}
		}
		switch {
		case waits[0] > 0: // nor does any other get through
			return waits, nil
		case old == nil:
			err = l.store.Create(ctx, key, state)
		default:
			err = l.store.Replace(ctx, key, old, state)
		}
		if err == nil {
			return waits, nil
		}
		if !l.taken(err) {
			return nil, err
		}
		if err := pause(ctx, time.Duration(rand.Int64N(int64(try+1)*int64(time.Millisecond)))); err != nil { //nolint:gosec // spreads, and hides nothing
			return nil, err
		}
	}
	return nil, errCrowded
}

// pace is how far calls are apart, and what Count of them take: the rule's time, or up
// to a nanosecond for each call more.
func (r Rule) pace() (apart, whole time.Duration) {
	count := int64(r.Count)
	nanos := (r.Per.Nanoseconds() + count - 1) / count
	return time.Duration(nanos), time.Duration(nanos * count)
}

// step is the state after one more call, or how long that call has to wait.
func (r Rule) step(old []byte, now time.Time) (next []byte, wait time.Duration) {
	apart, whole := r.pace()
	due := now
	if nanos, err := strconv.ParseInt(string(old), 10, 64); err == nil && time.Unix(0, nanos).After(now) {
		due = time.Unix(0, nanos)
	}
	if last := now.Add(whole); due.After(last) {
		due = last // as far ahead as only a clock that was wrong would put it
	}
	due = due.Add(apart)
	if ahead := due.Sub(now); ahead > whole {
		return nil, ahead - whole
	}
	return strconv.AppendInt(nil, due.UnixNano(), 10), 0
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
