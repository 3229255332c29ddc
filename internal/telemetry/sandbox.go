package telemetry

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// sandboxes are the metrics of the child processes that run models' code. How
// many there are is asked for when somebody looks.
type sandboxes struct {
	kills *prometheus.CounterVec
	desc  *prometheus.Desc

	mu    sync.Mutex
	pools []func() (idle, busy int)
}

func newSandboxes() *sandboxes {
	return &sandboxes{
		kills: counters("helve_js_kills_total", "Sandboxes that were killed while they ran a script, by reason.", "reason"),
		desc:  prometheus.NewDesc("helve_js_sandboxes", "Sandboxes, idle or busy.", []string{"state"}, nil),
	}
}

// SandboxKilled counts a sandbox that was killed.
func (m *Metrics) SandboxKilled(reason string) { m.sandboxes.kills.WithLabelValues(reason).Inc() }

// Sandboxes counts what stats returns among the sandboxes from now on.
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
