package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Pool records what happens in one pool. Its labels are looked up once, so its
// methods cost no more than an addition.
type Pool struct {
	queue      prometheus.Observer
	inFlight   prometheus.Gauge
	busy, free prometheus.Gauge
	backlog    prometheus.Gauge
	overloaded prometheus.Counter
}

// Pool returns the metrics of the pool called name, always the same ones. Keep
// it rather than ask for each call.
func (m *Metrics) Pool(name string) *Pool {
	m.mu.Lock()
	defer m.mu.Unlock()
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
	}
	m.pools[name] = p
	return p
}

// Started records a call that begins to run, queued after it was accepted.
// Clocks of two machines may differ, so a negative time counts as 0.
func (p *Pool) Started(queued time.Duration) {
	p.queue.Observe(max(queued, 0).Seconds())
	p.inFlight.Inc()
}

// Ended records the end of a call that Started.
func (p *Pool) Ended() { p.inFlight.Dec() }

// AddSlots adds n free slots, or takes them away when a worker of the process
// ends and n is negative.
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

// Backlog says how many calls wait.
func (p *Pool) Backlog(n int) { p.backlog.Set(float64(n)) }

// Overloaded counts a call that was refused.
func (p *Pool) Overloaded() { p.overloaded.Inc() }
