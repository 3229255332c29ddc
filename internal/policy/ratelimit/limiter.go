// Package ratelimit limits the rate of calls across all workers.
//
// It stores one number for each rule and caller where all workers find it: the time at
// which the calls let through so far would have arrived if they had arrived evenly (the
// generic cell rate algorithm). A call is refused if that time is further ahead than
// the rule's period.
//
// It promises that it lets through at most a rule's count in a burst, and at most the
// rate after that, however many workers ask concurrently, because a state is replaced
// only if it has not changed since it was read; and that no call is refused while there
// is room, however many arrive concurrently. It does not promise fairness between
// callers, and it trusts the clocks of the workers: a clock that is a second ahead lets
// through a second's worth of calls. A call that one rule lets through and another
// refuses still counts for the first.
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

// Store stores small values that all workers see.
type Store interface {
	// Get returns a value, nil if there is none.
	Get(ctx context.Context, key string) ([]byte, error)
	// Create stores a value if there is none.
	Create(ctx context.Context, key string, value []byte) error
	// Replace replaces the value old by another one.
	Replace(ctx context.Context, key string, old, value []byte) error
}

// Limiter applies rules. It is safe for concurrent use.
type Limiter struct {
	// Refused, if set, is called for each rule that refuses a call.
	Refused func(Rule)

	rules []Rule
	store Store
	// taken reports whether an error of a store means that another writer was faster.
	taken func(error) bool
	now   func() time.Time

	mu sync.Mutex
	// waiting holds the calls that wait for each state; there is an entry, possibly
	// empty, while a goroutine serves them.
	waiting map[string][]ask
}

// New returns a limiter over a store; taken recognises the error of a Create or Replace
// for which another writer was faster.
func New(rules []Rule, store Store, taken func(error) bool) *Limiter {
	return &Limiter{rules: rules, store: store, taken: taken, now: time.Now, waiting: map[string][]ask{}}
}

// Take counts a call of a tool under all names of the tool. A wait above 0 means that
// the call is refused, and is the time until it would be let through; the longest, if
// several rules refuse it.
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
		if wait > 0 && l.Refused != nil {
			l.Refused(r)
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
// state: so only processes compete, however many calls arrive.
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

// serve answers the calls that wait for a state, until there are none.
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
	// maxTries is the number of times that a state is read again because another
	// process was faster. Each time one process succeeds, with all calls that wait
	// there.
	maxTries = 50
	// maxWait limits the total time.
	maxWait = 10 * time.Second
)

var errCrowded = errors.New("too many processes count calls concurrently")

// count adds n calls to a state, and returns the wait of each.
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
		case waits[0] > 0: // nor does any other call get through
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
		if err := pause(ctx, time.Duration(rand.Int64N(int64(try+1)*int64(time.Millisecond)))); err != nil {
			return nil, err
		}
	}
	return nil, errCrowded
}

// pace returns the interval between calls, and the time that Count calls take: the
// rule's period, or up to a nanosecond more per call.
func (r Rule) pace() (apart, whole time.Duration) {
	count := int64(r.Count)
	nanos := (r.Per.Nanoseconds() + count - 1) / count
	return time.Duration(nanos), time.Duration(nanos * count)
}

// step returns the state after one more call, or the wait of that call.
func (r Rule) step(old []byte, now time.Time) (next []byte, wait time.Duration) {
	apart, whole := r.pace()
	due := now
	if nanos, err := strconv.ParseInt(string(old), 10, 64); err == nil && time.Unix(0, nanos).After(now) {
		due = time.Unix(0, nanos)
	}
	if last := now.Add(whole); due.After(last) {
		due = last // so far ahead that only a wrong clock can be the cause
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
