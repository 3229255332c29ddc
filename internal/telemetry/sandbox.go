package telemetry

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// sandboxes holds the metrics of the child processes that run models' code. Their
// number is read at each collection.
type sandboxes struct {
	kills *prometheus.CounterVec
	desc  *prometheus.Desc

	mu    sync.Mutex
	pools []func() (idle, busy int)
}

func newSandboxes(r *register) *sandboxes {
	const name, help = "helve_js_sandboxes", "Sandboxes, idle or busy."
	s := &sandboxes{
		kills: r.counters("helve_js_kills_total", "Sandboxes that were killed while they ran a script, by reason.", "reason"),
		desc:  prometheus.NewDesc(name, help, []string{"state"}, nil),
	}
	r.add(s, "gauge", name, help, []string{"state"})
	return s
}

// SandboxKilled counts a sandbox that was killed.
func (m *Metrics) SandboxKilled(reason string) { m.sandboxes.kills.WithLabelValues(reason).Inc() }

// SandboxReasons makes the counters of sandboxes that were killed start at 0 for each reason.
func (m *Metrics) SandboxReasons(reasons ...string) {
	for _, reason := range reasons {
		m.sandboxes.kills.WithLabelValues(reason)
	}
}

// Sandboxes adds the result of stats to the number of sandboxes from now on.
func (m *Metrics) Sandboxes(stats func() (idle, busy int)) {
	s := m.sandboxes
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pools = append(s.pools, stats)
}

// Describe implements [prometheus.Collector].
func (s *sandboxes) Describe(to chan<- *prometheus.Desc) { to <- s.desc }

// Collect implements [prometheus.Collector].
func (s *sandboxes) Collect(to chan<- prometheus.Metric) {
	s.mu.Lock()
	defer s.mu.Unlock()
	idle, busy := 0, 0
	for _, stats := range s.pools {
		i, b := stats()
		idle, busy = idle+i, busy+b
	}
	to <- prometheus.MustNewConstMetric(s.desc, prometheus.GaugeValue, float64(idle), "idle")
	to <- prometheus.MustNewConstMetric(s.desc, prometheus.GaugeValue, float64(busy), "busy")
}
