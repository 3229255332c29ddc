package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Pool records events of one pool. Its labels are looked up once, so a method costs no
// more than an addition.
type Pool struct {
	queue      prometheus.Observer
	inFlight   prometheus.Gauge
	busy, free prometheus.Gauge
	backlog    prometheus.Gauge
	overloaded prometheus.Counter
	delivered  prometheus.Counter
	succeeded  prometheus.Counter
	failed     prometheus.Counter
	took       prometheus.Observer
}

// maxPools limits the pools with series of their own.
const maxPools = 200

// Pool returns the metrics of the pool called name, always the same value. Keep it
// instead of calling Pool for each call.
func (m *Metrics) Pool(name string) *Pool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if p, ok := m.pools[name]; ok {
		return p
	}
	if name = label(name); len(m.pools) >= maxPools {
		name = unknown
	}
	if p, ok := m.pools[name]; ok {
		return p
	}
	p := &Pool{
		queue:      m.queue.WithLabelValues(name),
		inFlight:   m.inFlight.WithLabelValues(name),
		busy:       m.slots.WithLabelValues(name, "busy"),
		free:       m.slots.WithLabelValues(name, "free"),
		backlog:    m.backlog.WithLabelValues(name),
		overloaded: m.overloaded.WithLabelValues(name),
		delivered:  m.delivered.WithLabelValues(name),
		succeeded:  m.poolCalls.WithLabelValues(name, "success"),
		failed:     m.poolCalls.WithLabelValues(name, "error"),
		took:       m.poolTook.WithLabelValues(name),
	}
	m.pools[name] = p
	return p
}

// Started records a call that begins to run, queued after it was accepted. Clocks of
// two machines may differ, so a negative time counts as 0.
func (p *Pool) Started(queued time.Duration) {
	p.queue.Observe(max(queued, 0).Seconds())
	p.delivered.Inc()
	p.inFlight.Inc()
}

// Ended records the end of a call that Started.
func (p *Pool) Ended() { p.inFlight.Dec() }

// Done counts the end of a call in the pool, and how long it took since it was accepted. Clocks of
// two machines may differ, so a negative time counts as 0.
func (p *Pool) Done(success bool, took time.Duration) {
	p.took.Observe(max(took, 0).Seconds())
	if success {
		p.succeeded.Inc()
	} else {
		p.failed.Inc()
	}
}

// AddSlots adds n free slots; n is negative when a worker of the process ends.
func (p *Pool) AddSlots(n int) { p.free.Add(float64(n)) }

// SlotTaken turns a free slot into a busy one.
func (p *Pool) SlotTaken() {
	p.free.Dec()
	p.busy.Inc()
}

// SlotFreed turns a busy slot into a free one.
func (p *Pool) SlotFreed() {
	p.busy.Dec()
	p.free.Inc()
}

// Backlog sets the number of waiting calls.
func (p *Pool) Backlog(n int) { p.backlog.Set(float64(n)) }

// Overloaded counts a call that was refused.
func (p *Pool) Overloaded() { p.overloaded.Inc() }
