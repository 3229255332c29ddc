package bus

import (
	"net/http"
	"sync"
)

// requests counts the requests that are being answered, up to when no more are
// taken.
type requests struct {
	mu      sync.Mutex
	running int
	idle    chan struct{} // made by stop, closed when none runs
}

// begin reports false once stop was called.
func (r *requests) begin() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.idle != nil {
		return false
	}
	r.running++
	return true
}

func (r *requests) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running--
	if r.idle != nil && r.running == 0 {
		close(r.idle)
	}
}

// stop lets no more begin; what it returns is closed when the last has ended.
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

// stopping answers a request that came while the service stops.
type stopping struct{}

var errStopping Fault = stopping{}

// Error says what to do.
func (stopping) Error() string { return "this dispatcher is stopping; send the request again" }

// Fault implements [Fault].
func (s stopping) Fault() (code int, description string, body []byte) {
	return http.StatusServiceUnavailable, s.Error(), []byte(`{"error_type":"unavailable","message":"` + s.Error() + `"}`)
}
