package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// upstream holds the metrics of MCP servers whose tools workers offer, labelled by the
// operator's names for them.
type upstream struct {
	up       *prometheus.GaugeVec
	restarts *prometheus.CounterVec
	withheld *prometheus.GaugeVec
	took     *prometheus.HistogramVec
}

func newUpstream(r *register) upstream {
	return upstream{
		up: r.gauges("helve_upstream_up", "Workers of this process that are connected to the MCP server.", "server"),
		restarts: r.counters("helve_upstream_restarts_total",
			"Times an MCP server was lost, or could not be reached, and is tried again.", "server"),
		withheld: r.gauges("helve_upstream_withheld_tools",
			"Tools of the MCP server or API document that wait for an operator to accept their definition.", "server"),
		took: r.histograms("helve_upstream_call_seconds", "Time an MCP server took for a call, by outcome.", "server", "outcome"),
	}
}

// UpstreamConnected counts connections to an MCP server: 1 for a new connection, -1 for
// a lost one, 0 to register the server.
func (u upstream) UpstreamConnected(server string, delta int) {
	u.restarts.WithLabelValues(server) // it starts at 0
	u.up.WithLabelValues(server).Add(float64(delta))
}

// UpstreamRestarted counts a new connection attempt to a server.
func (u upstream) UpstreamRestarted(server string) { u.restarts.WithLabelValues(server).Inc() }

// UpstreamWithheld sets the number of withheld tools of a server.
func (u upstream) UpstreamWithheld(server string, n int) {
	u.withheld.WithLabelValues(server).Set(float64(n))
}

// UpstreamCalled records a call that a server ran.
func (u upstream) UpstreamCalled(server, outcome string, took time.Duration) {
	u.took.WithLabelValues(server, outcome).Observe(took.Seconds())
}
