package telemetry

import (
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
)

// Described is one metric as its documentation lists it.
type Described struct {
	Name, Type, Help string
	Labels           []string
}

// register makes metrics, registers them and records their descriptions.
type register struct {
	registry *prometheus.Registry
	list     []Described
}

func (r *register) add(c prometheus.Collector, kind, name, help string, labels []string) {
	r.list = append(r.list, Described{Name: name, Type: kind, Help: help, Labels: labels})
	r.registry.MustRegister(c)
}

func (r *register) counter(name, help string) prometheus.Counter {
	c := prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	r.add(c, "counter", name, help, nil)
	return c
}

func (r *register) counters(name, help string, labels ...string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	r.add(c, "counter", name, help, labels)
	return c
}

func (r *register) gauge(name, help string) prometheus.Gauge {
	g := prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
	r.add(g, "gauge", name, help, nil)
	return g
}

func (r *register) gauges(name, help string, labels ...string) *prometheus.GaugeVec {
	g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
	r.add(g, "gauge", name, help, labels)
	return g
}

func (r *register) histogram(name, help string, bounds []float64) prometheus.Histogram {
	h := prometheus.NewHistogram(prometheus.HistogramOpts{Name: name, Help: help, Buckets: bounds})
	r.add(h, "histogram", name, help, nil)
	return h
}

func (r *register) histograms(name, help string, labels ...string) *prometheus.HistogramVec {
	h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
	r.add(h, "histogram", name, help, labels)
	return h
}

// Described returns the metrics of Helve, sorted by name. Those of the Go runtime and of
// the process are not among them.
func (m *Metrics) Described() []Described {
	list := slices.Clone(m.made.list)
	slices.SortFunc(list, func(a, b Described) int { return strings.Compare(a.Name, b.Name) })
	return list
}
