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
)

// buckets fit from what a no-op call costs to the longest common timeout, in
// seconds.
var buckets = []float64{
	50e-6, 100e-6, 200e-6, 500e-6,
	1e-3, 2e-3, 5e-3, 10e-3, 20e-3, 50e-3, 100e-3, 200e-3, 500e-3,
	1, 2, 5, 10, 30, 60,
}

// Metrics are the metrics of one process, whatever parts of Helve run in it.
// All methods may be called from any goroutine.
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

	sandboxes *sandboxes

	redeliveries prometheus.Counter
	deadLetters  prometheus.Counter
	stuck        prometheus.Gauge
	connected    prometheus.Gauge

	mu    sync.Mutex // held to add to the maps below
	known atomic.Pointer[map[outcome]series]
	tools map[string]bool
	pools map[string]*Pool
}

// NewMetrics returns metrics in a registry of their own, together with those
// of the Go runtime and of the process.
func NewMetrics() *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry(), tools: map[string]bool{}, pools: map[string]*Pool{}}
	m.known.Store(&map[outcome]series{})

	m.calls = counters("helve_calls_total", "Calls that ended, by tool and outcome.", "tool", "status", "error_type")
	m.duration = histograms("helve_call_duration_seconds", "Time a tool ran.", "tool")
	m.overhead = histogram("helve_call_overhead_seconds", "Time a worker spent on a call beside running its tool.")
	m.accept = histogram("helve_accept_seconds", "Time a dispatcher took until a call was stored.")
	m.queue = histograms("helve_call_queue_seconds", "Time from accepting a call to starting it.", "pool")
	m.inFlight = gauges("helve_calls_in_flight", "Calls that are running.", "pool")
	m.slots = gauges("helve_worker_slots", "Slots of the workers in this process, busy or free.", "pool", "state")
	m.backlog = gauges("helve_pool_backlog", "Calls that wait for a worker.", "pool")
	m.overloaded = counters("helve_overloaded_total", "Calls refused because their pool's backlog was full.", "pool")
	m.redeliveries = counter("helve_redeliveries_total", "Calls that arrived at a worker again.")
	m.deadLetters = counter("helve_dead_letters_total", "Messages set aside because nobody could read or run them.")
	m.stuck = gauge("helve_stuck_calls", "Tools that still run although their call was answered.")
	m.connected = gauge("helve_nats_connected", "1 while connected to NATS, else 0.")

	m.gate, m.upstream = newGate(), newUpstream()
	m.sandboxes = newSandboxes()

	build := gauges("helve_build_info", "Always 1; the labels say what was built, and with which Go.", "version", "go")
	build.WithLabelValues(Version(), runtime.Version()).Set(1)

	m.registry.MustRegister(m.gate.collectors()...)
	m.registry.MustRegister(m.upstream.collectors()...)
	m.registry.MustRegister(m.sandboxes, m.sandboxes.kills)
	m.registry.MustRegister(
		m.calls, m.duration, m.overhead, m.accept, m.queue, m.inFlight, m.slots, m.backlog, m.overloaded,
		m.redeliveries, m.deadLetters, m.stuck, m.connected, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return m
}

// Handler serves the metrics to Prometheus.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4})
}

// Accepted records how long a dispatcher took to store a call.
func (m *Metrics) Accepted(took time.Duration) { m.accept.Observe(took.Seconds()) }

// Redelivered counts a call that arrived again.
func (m *Metrics) Redelivered() { m.redeliveries.Inc() }

// DeadLetter counts a message that was set aside.
func (m *Metrics) DeadLetter() { m.deadLetters.Inc() }

// Stuck adds delta to the number of tools that outlive their call's answer:
// 1 when one is given up, -1 when it returns after all.
func (m *Metrics) Stuck(delta int) { m.stuck.Add(float64(delta)) }

// Connected says whether NATS is connected.
func (m *Metrics) Connected(yes bool) {
	if yes {
		m.connected.Set(1)
	} else {
		m.connected.Set(0)
	}
}

func counter(name, help string) prometheus.Counter {
	return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
}

func counters(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

func gauge(name, help string) prometheus.Gauge {
	return prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
}

func gauges(name, help string, labels ...string) *prometheus.GaugeVec {
	return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
}

func histogram(name, help string) prometheus.Histogram {
	return prometheus.NewHistogram(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets})
}

func histograms(name, help string, labels ...string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
}
