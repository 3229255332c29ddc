package callback

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/tool"
)

const (
	// knownFor is the time for which a process believes that a tenant is crowded, or is not.
	knownFor = 500 * time.Millisecond
	// maxKnown bounds the tenants that it remembers.
	maxKnown = 10_000
	// markAgain is the pause before a mark that could not be stored is stored again.
	markAgain = time.Second
	// markEvery is the interval at which marks are stored again, so that none expires.
	markEvery = time.Hour
)

// crowd remembers which tenants are crowded, so that a request does not read it each time.
type crowd struct {
	mu    sync.Mutex
	known map[string]crowded
}

type crowded struct {
	is bool
	at time.Time
}

// of returns whether a tenant is crowded; ok is false if that is not known.
func (c *crowd) of(tenant string) (is, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k, there := c.known[tenant]
	return k.is, there && time.Since(k.at) < knownFor
}

func (c *crowd) set(tenant string, is bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil || len(c.known) >= maxKnown {
		c.known = map[string]crowded{}
	}
	c.known[tenant] = crowded{is, time.Now()}
}

// room returns the answer to a call of a tenant that has as many callbacks as it may; nil if
// there is room. Where that cannot be read, storing the callback fails too.
func (s *Service) room(ctx context.Context, tenant string) error {
	is, ok := s.crowd.of(tenant)
	if !ok {
		var err error
		if is, err = s.Store.Crowded(ctx, tenant); err != nil {
			return err
		}
		s.crowd.set(tenant, is)
	}
	if !is {
		return nil
	}
	return tool.Fail(tool.RateLimited,
		"%d callbacks of this tenant wait for a result or for their receivers, and calls with a callback are not accepted until some have "+
			"ended; send the call again later, or without a callback; the operator can raise callbacks.max_waiting",
		s.MaxWaiting)
}

// grown counts an entry more or less of a tenant. The caller holds mu.
func (r *run) grown(tenant string, by int) {
	if r.counts[tenant] += by; r.counts[tenant] <= 0 {
		delete(r.counts, tenant)
	}
	if r.wrong(tenant) {
		r.markSoon()
	}
}

// wrong reports whether the mark of a tenant must change. A mark is removed when a tenth of
// the callbacks has ended, so that it does not change all the time. The caller holds mu.
func (r *run) wrong(tenant string) bool {
	n := r.counts[tenant]
	if r.marked[tenant] {
		return n < r.MaxWaiting-r.MaxWaiting/10
	}
	return n >= r.MaxWaiting
}

func (r *run) markSoon() {
	select {
	case r.marks <- struct{}{}:
	default:
	}
}

// keepMarks stores which tenants are crowded until ctx ends. A mark is not removed before all
// stored callbacks have been counted.
func (r *run) keepMarks(ctx context.Context) {
	again := time.NewTicker(markEvery)
	defer again.Stop()
	for {
		var tenants []string
		select {
		case <-ctx.Done():
			return
		case <-r.marks:
			tenants = r.wrongMarks()
		case <-again.C:
			tenants = r.allMarks()
		}
		for _, tenant := range tenants {
			if !r.mark(ctx, tenant) {
				time.AfterFunc(markAgain, r.markSoon)
				break
			}
		}
	}
}

// allMarks returns the tenants that are marked.
func (r *run) allMarks() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Keys(r.marked))
}

// wrongMarks returns the tenants whose marks must change.
func (r *run) wrongMarks() (tenants []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for tenant := range r.counts {
		if !r.marked[tenant] && r.wrong(tenant) {
			tenants = append(tenants, tenant)
		}
	}
	for tenant := range r.marked {
		if r.read && r.wrong(tenant) {
			tenants = append(tenants, tenant)
		}
	}
	return tenants
}

// mark stores the mark that a tenant must have, and reports whether it could.
func (r *run) mark(ctx context.Context, tenant string) bool {
	r.mu.Lock()
	was := r.marked[tenant]
	is := was != r.wrong(tenant)
	r.mu.Unlock()
	if err := r.Store.Mark(ctx, tenant, is); err != nil {
		r.Log.Warn("bound of waiting callbacks not stored; trying again", zap.String("tenant", tenant), zap.Error(err))
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.marked, tenant)
	switch {
	case is && !was:
		r.Log.Warn("tenant has as many waiting callbacks as it may", zap.String("tenant", tenant), zap.Int("callbacks", r.MaxWaiting))
	case was && !is:
		r.Log.Info("tenant has room for callbacks again", zap.String("tenant", tenant))
	}
	if is {
		r.marked[tenant] = true
	}
	return true
}

// crowdedNow notes a mark that is stored.
func (r *run) crowdedNow(tenant string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.marked[tenant] = true
}

// readAll notes that all stored callbacks have been counted.
func (r *run) readAll() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.read = true
	r.markSoon()
}
