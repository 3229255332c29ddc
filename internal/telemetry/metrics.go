package telemetry

import (
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/helve-dev/helve/internal/x/version"
)

// buckets range from the cost of a no-op call to the longest common timeout, in
// seconds.
var buckets = []float64{
	50e-6, 100e-6, 200e-6, 500e-6,
	1e-3, 2e-3, 5e-3, 10e-3, 20e-3, 50e-3, 100e-3, 200e-3, 500e-3,
	1, 2, 5, 10, 30, 60,
}

// Metrics holds the metrics of one process, whatever parts of Helve run in it. All
// methods are safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry

	calls    *prometheus.CounterVec
	duration *prometheus.HistogramVec
	overhead prometheus.Histogram
	accept   prometheus.Histogram

	queue      *prometheus.HistogramVec
	inFlight   *prometheus.GaugeVec
	slots      *prometheus.GaugeVec
	backlog    *prometheus.GaugeVec
	overloaded *prometheus.CounterVec

	gate
	upstream
	schedule

	sandboxes *sandboxes

	redeliveries prometheus.Counter
	direct       [3]prometheus.Counter
	moved        prometheus.Counter
	conflicts    *prometheus.GaugeVec
	deadLetters  prometheus.Counter
	stuck        prometheus.Gauge
	connected    prometheus.Gauge
	split        *prometheus.GaugeVec

	streams
	made     register
	sources  *sources
	counters [families]*prometheus.CounterVec

	delivered   *prometheus.CounterVec
	poolCalls   *prometheus.CounterVec
	poolTook    *prometheus.HistogramVec
	tenantCalls *prometheus.CounterVec
	requests    *prometheus.CounterVec

	mu      sync.Mutex // held while adding to the following maps
	known   atomic.Pointer[map[outcome]series]
	tools   bounded
	tenants bounded
	pools   map[string]*Pool

	byTenant  countedBy[tenantOutcome]
	byRequest countedBy[request]
}

// NewMetrics returns metrics in a registry of their own, including those of the Go
// runtime and of the process.
func NewMetrics() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		tools:    bounded{most: maxTools},
		tenants:  bounded{most: maxTenants},
		pools:    map[string]*Pool{},
	}
	m.made = register{registry: m.registry}
	r := &m.made
	m.known.Store(&map[outcome]series{})

	m.calls = r.counters("helve_calls_total", "Calls that ended, by tool and outcome.", "tool", "status", "error_type")
	m.duration = r.histograms("helve_call_duration_seconds", "Time a tool ran.", "tool")
	m.overhead = r.histogram("helve_call_overhead_seconds", "Time a worker spent on a call beside running its tool.", buckets)
	m.accept = r.histogram("helve_accept_seconds", "Time a dispatcher took until a call was stored.", buckets)
	m.queue = r.histograms("helve_call_queue_seconds", "Time from accepting a call to starting it.", "pool")
	m.inFlight = r.gauges("helve_calls_in_flight", "Calls that are running.", "pool")
	m.slots = r.gauges("helve_worker_slots", "Slots of the workers in this process, busy or free.", "pool", "state")
	m.backlog = r.gauges("helve_pool_backlog", "Calls that wait for a worker.", "pool")
	m.overloaded = r.counters("helve_overloaded_total", "Calls refused because their pool's backlog, or the message store, was full.", "pool")
	m.redeliveries = r.counter("helve_redeliveries_total", "Calls that arrived at a worker again.")
	m.moved = r.counter("helve_calls_moved_total", "Calls that came to a worker without their tool, or without room for it, and were moved.")
	direct := r.counters("helve_calls_direct_total",
		"Calls that a dispatcher handed to a worker without queueing them, by outcome: answered, or declined or late, which were then queued.",
		"outcome")
	for i, outcome := range directOutcomes {
		m.direct[i] = direct.WithLabelValues(outcome)
	}
	m.conflicts = r.gauges("helve_tool_version_conflicts",
		"Tools of which live workers of the pool have different parameters under one version.", "pool")
	m.deadLetters = r.counter("helve_dead_letters_total", "Messages set aside because nobody could read or run them.")
	m.stuck = r.gauge("helve_stuck_calls", "Tools that still run although their call was answered.")
	m.connected = r.gauge("helve_nats_connected", "1 while connected to NATS, else 0.")
	m.split = r.gauges("helve_workspaces_split", "1 while the workers of the pool keep workspaces in different directories, else 0.", "pool")

	m.delivered = r.counters("helve_deliveries_total", "Calls that the queue or a dispatcher handed to a worker.", "pool")
	m.poolCalls = r.counters("helve_pool_calls_total", "Calls that ended at a worker of the pool, by status.", "pool", "status")
	m.poolTook = r.histograms("helve_pool_call_seconds", "Time from accepting a call until it ended at a worker of the pool.", "pool")
	m.tenantCalls = r.counters("helve_tenant_calls_total",
		"Calls that ended, by tenant and status. After 200 tenants a new one counts as unknown.", "tenant", "status")
	m.requests = r.counters("helve_requests_total", "Requests that were answered, by door (http, nats or mcp), operation and HTTP status.",
		"door", "operation", "status")

	m.gate, m.upstream, m.schedule, m.streams = newGate(r), newUpstream(r), newSchedule(r), newStreams(r)
	m.sandboxes = newSandboxes(r)

	build := r.gauges("helve_build_info", "Always 1; the labels say what was built, and with which Go.", "version", "go")
	build.WithLabelValues(version.String(), runtime.Version()).Set(1)

	m.addFamilies()
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Handler serves the metrics to Prometheus; exemplars only in the OpenMetrics format.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4, EnableOpenMetrics: true})
}

// Accepted records the time that a dispatcher took to store a call.
func (m *Metrics) Accepted(took time.Duration) { m.accept.Observe(took.Seconds()) }

// Redelivered counts a call that arrived again.
func (m *Metrics) Redelivered() { m.redeliveries.Inc() }

// CallMoved counts a call that was moved because the worker lacks its tool or a free
// slot.
func (m *Metrics) CallMoved() { m.moved.Inc() }

// VersionConflicts sets the number of tools of which the workers of a pool have
// different parameters under one version.
func (m *Metrics) VersionConflicts(pool string, n int) {
	m.conflicts.WithLabelValues(pool).Set(float64(n))
}

// DeadLetter counts a message that was set aside.
func (m *Metrics) DeadLetter() { m.deadLetters.Inc() }

// Stuck adds delta to the number of tools that outlive their call's answer: 1 when a
// call is given up, -1 when its tool returns after all.
func (m *Metrics) Stuck(delta int) { m.stuck.Add(float64(delta)) }

// Connected sets whether NATS is connected.
func (m *Metrics) Connected(yes bool) {
	m.connected.Set(truth(yes))
}

// WorkspacesSplit sets whether the workers of a pool keep workspaces in different
// directories.
func (m *Metrics) WorkspacesSplit(pool string, yes bool) {
	m.split.WithLabelValues(pool).Set(truth(yes))
}

// truth returns 1 for yes, else 0.
func truth(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
