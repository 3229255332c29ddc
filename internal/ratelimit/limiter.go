// Package ratelimit bounds how often calls are made, across all workers.
//
// It keeps one number for each rule and caller where all workers find it: when the
// calls that were let through so far would have come if they had come evenly (the
// generic cell rate algorithm). A call is one too many when that lies further ahead
// than the rule's time.
//
// It promises that no more than a rule's count are let through at once, and no more
// than the rate after that, however many workers ask at the same moment: a state is
// replaced only as it was read. It does not promise fairness between callers, and it
// believes the clocks of the workers: one that is ahead by a second lets through
// what a second brings. A call that one rule lets through and another refuses is
// counted by the first all the same.
package ratelimit

import (
	"context"
	"math/rand/v2"
	"strconv"
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
}

// New returns a limiter over a store; taken recognises the error of a Create or
// Replace that somebody else was faster than.
func New(rules []Rule, store Store, taken func(error) bool) *Limiter {
	return &Limiter{rules: rules, store: store, taken: taken, now: time.Now}
}

// Take counts a call of a tool. A wait above 0 means that it is one too many, and
// how long until it is not; the longest, where more than one rule says so.
func (l *Limiter) Take(ctx context.Context, tenant, user, tool string) (time.Duration, error) {
	var longest time.Duration
	for _, r := range l.rules {
		if !r.covers(tool) {
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

// maxTries is how often a state is read anew because somebody was faster. Each time
// one of them gets through, so it is also how many may ask at once and be answered.
const maxTries = 50

func (l *Limiter) take(ctx context.Context, r Rule, key string) (time.Duration, error) {
	for try := range maxTries {
		old, err := l.store.Get(ctx, key)
		if err != nil {
			return 0, err
		}
		next, wait := r.step(old, l.now())
		if wait > 0 {
			return wait, nil
		}
		if old == nil {
			err = l.store.Create(ctx, key, next)
		} else {
			err = l.store.Replace(ctx, key, old, next)
		}
		if err == nil || !l.taken(err) {
			return 0, err
		}
		if err := pause(ctx, time.Duration(rand.Int64N(int64(try+1)*int64(time.Millisecond)))); err != nil { //nolint:gosec // spreads, and hides nothing
			return 0, err
		}
	}
	return r.Per / time.Duration(r.Count), nil // as many as that at once are too many
}

// step is the state after one more call, or how long that call has to wait.
func (r Rule) step(old []byte, now time.Time) (next []byte, wait time.Duration) {
	apart := r.Per / time.Duration(r.Count)
	due := now
	if nanos, err := strconv.ParseInt(string(old), 10, 64); err == nil && time.Unix(0, nanos).After(now) {
		due = time.Unix(0, nanos)
	}
	if last := now.Add(r.Per); due.After(last) {
		due = last // as far ahead as only a clock that was wrong would put it
	}
	due = due.Add(apart)
	if ahead := due.Sub(now); ahead > r.Per {
		return nil, ahead - r.Per
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
