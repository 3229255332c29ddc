package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// upstream are the metrics of MCP servers whose tools workers offer. Their names are the
// operator's.
type upstream struct {
	up       *prometheus.GaugeVec
	restarts *prometheus.CounterVec
	withheld *prometheus.GaugeVec
	took     *prometheus.HistogramVec
}

func newUpstream() upstream {
	return upstream{
		up:       gauges("helve_upstream_up", "Workers of this process that are connected to the MCP server.", "server"),
		restarts: counters("helve_upstream_restarts_total", "Times an MCP server was lost, or could not be reached, and is tried again.", "server"),
		withheld: gauges("helve_upstream_withheld_tools", "Tools of the MCP server that wait for an operator to accept their definition.", "server"),
		took:     histograms("helve_upstream_call_seconds", "Time an MCP server took for a call, by outcome.", "server", "outcome"),
	}
}

func (u upstream) collectors() []prometheus.Collector {
	return []prometheus.Collector{u.up, u.restarts, u.withheld, u.took}
}

// UpstreamConnected counts connections to an MCP server: 1 when it is there, -1 when it
// is not any more, 0 when it is only known.
func (u upstream) UpstreamConnected(server string, delta int) {
	u.up.WithLabelValues(server).Add(float64(delta))
}

// UpstreamRestarted counts a server that is tried again.
func (u upstream) UpstreamRestarted(server string) { u.restarts.WithLabelValues(server).Inc() }

// UpstreamWithheld sets how many tools of a server are withheld.
func (u upstream) UpstreamWithheld(server string, n int) {
	u.withheld.WithLabelValues(server).Set(float64(n))
}

// UpstreamCalled records a call that a server ran.
func (u upstream) UpstreamCalled(server, outcome string, took time.Duration) {
	u.took.WithLabelValues(server, outcome).Observe(took.Seconds())
}
