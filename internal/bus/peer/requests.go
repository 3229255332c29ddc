package peer

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// requests counts the requests in progress, until no more are accepted, and bounds the
// bytes of their bodies: a request may wait for minutes.
type requests struct {
	mu      sync.Mutex
	running int
	begun   int              // requests so far
	idle    chan struct{}    // made by stop, closed when none runs
	held    int64            // bytes of all requests
	by      map[string]int64 // the same by sender, only for senders with requests

	refusedAt time.Time // of the last line about refused requests
	unlogged  int       // refused since then
}

const (
	// maxHeld bounds the bytes of the requests without an answer; each sender gets a
	// quarter.
	maxHeld = 256 << 20
	// requestCost is the memory of a request besides its body.
	requestCost = 1 << 10
	// refusedEvery is the minimum time between log lines about refused requests.
	refusedEvery = 10 * time.Second
	// settled is the time without a request after which none is left of those received
	// before the end of a subscription.
	settled = 200 * time.Millisecond
	// settleTimeout bounds the wait for those.
	settleTimeout = 5 * time.Second
)

// begin counts a request of n bytes. Its error is the reason not to answer it; if there is
// none, done must be called after the answer.
func (r *requests) begin(asker string, n int) (done func(), refusal Fault) {
	cost := int64(n) + requestCost
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.idle != nil:
		return nil, errStopping
	case r.held+cost > maxHeld, r.by[asker]+cost > maxHeld/4:
		return nil, errCrowded
	}
	if r.by == nil {
		r.by = map[string]int64{}
	}
	r.running++
	r.begun++
	r.held += cost
	r.by[asker] += cost
	return func() { r.end(asker, cost) }, nil
}

// refused counts a request without a reply subject, and returns their number since the last
// log line; 0 if it is too soon for another line.
func (r *requests) refused(now time.Time) (count int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unlogged++
	if now.Sub(r.refusedAt) < refusedEvery {
		return 0
	}
	count, r.unlogged, r.refusedAt = r.unlogged, 0, now
	return count
}

func (r *requests) end(asker string, cost int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running--
	r.held -= cost
	if r.by[asker] -= cost; r.by[asker] <= 0 {
		delete(r.by, asker)
	}
	if r.idle != nil && r.running == 0 {
		close(r.idle)
	}
}

// settle waits until no request has begun for settled, or ctx ends. What was received before
// a subscription ended is still handed over after it, and the service does not report the
// last of it.
func (r *requests) settle(ctx context.Context) {
	tick := time.NewTicker(settled)
	defer tick.Stop()
	for last := r.count(); ; {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		now := r.count()
		if now == last {
			return
		}
		last = now
	}
}

func (r *requests) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.begun
}

// stop accepts no further requests; the returned channel is closed when the last one has
// ended.
func (r *requests) stop() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.idle == nil {
		r.idle = make(chan struct{})
		if r.running == 0 {
			close(r.idle)
		}
	}
	return r.idle
}

// stopping answers a request that arrived while the service stops.
type stopping struct{}

var errStopping Fault = stopping{}

// Error returns a sentence with advice.
func (stopping) Error() string { return "this dispatcher is stopping; send the request again" }

// Fault implements [Fault].
func (s stopping) Fault() (code int, description string, body []byte) {
	return http.StatusServiceUnavailable, s.Error(), []byte(`{"error_type":"unavailable","message":"` + s.Error() + `"}`)
}

// crowded answers a request for which there is no room.
type crowded struct{}

var errCrowded Fault = crowded{}

// Error returns a sentence with advice.
func (crowded) Error() string {
	return "too many large requests wait for their answers; send the request again later"
}

// Fault implements [Fault].
func (c crowded) Fault() (code int, description string, body []byte) {
	return http.StatusServiceUnavailable, c.Error(), []byte(`{"error_type":"overloaded","message":"` + c.Error() + `"}`)
}
