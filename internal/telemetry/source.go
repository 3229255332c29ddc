package telemetry

import (
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// Set reports the value of a series at a scrape.
type Set func(f Family, value float64, labels ...string)

// maxSeries limits the series of a family that is read at a scrape.
const maxSeries = 1000

// sources reads values at each scrape, from the parts of the process that have them.
type sources struct {
	descs [families]*prometheus.Desc

	mu   sync.Mutex
	next int
	read map[int]func(Set)
}

// Read calls source at each scrape, until the returned function is called. Source must
// return what it has without waiting for another process.
func (m *Metrics) Read(source func(set Set)) (stop func()) {
	s := m.sources
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.next
	s.next++
	s.read[id] = source
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.read, id)
	}
}

// Count adds 1 to a series of a family.
func (m *Metrics) Count(f Family, labels ...string) { m.Add(f, 1, labels...) }

// Add is Count with more than one event.
func (m *Metrics) Add(f Family, n int, labels ...string) {
	safe := make([]string, len(labels))
	for i, value := range labels {
		safe[i] = label(value)
	}
	m.counters[f].WithLabelValues(safe...).Add(float64(n))
}

// addFamilies makes the families of the table.
func (m *Metrics) addFamilies() {
	m.sources = &sources{read: map[int]func(Set){}}
	for f, row := range table {
		switch row.kind {
		case counted:
			m.counters[f] = m.made.counters(row.name, row.help, row.labels...)
			if len(row.labels) == 0 {
				m.counters[f].WithLabelValues()
			}
			for _, value := range closed[Family(f)] {
				m.counters[f].WithLabelValues(value)
			}
			continue
		case total:
			m.made.list = append(m.made.list, Described{row.name, "counter", row.help, row.labels})
		default:
			m.made.list = append(m.made.list, Described{row.name, "gauge", row.help, row.labels})
		}
		m.sources.descs[f] = prometheus.NewDesc(row.name, row.help, row.labels, nil)
	}
	m.registry.MustRegister(m.sources)
}

// Describe implements [prometheus.Collector].
func (s *sources) Describe(to chan<- *prometheus.Desc) {
	for _, desc := range s.descs {
		if desc != nil {
			to <- desc
		}
	}
}

// reading is the value of one label set while it is collected.
type reading struct {
	value  float64
	labels []string
}

// Collect implements [prometheus.Collector].
func (s *sources) Collect(to chan<- prometheus.Metric) {
	var found [families]map[string]reading
	set := func(f Family, value float64, labels ...string) {
		for i := range labels {
			labels[i] = label(labels[i])
		}
		if found[f] == nil {
			found[f] = map[string]reading{}
		}
		key := strings.Join(labels, "\x00")
		old, again := found[f][key]
		switch {
		case !again && len(found[f]) >= maxSeries:
			return
		case again:
			value = table[f].kind.combined(old.value, value)
		}
		found[f][key] = reading{value, labels}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, read := range s.read {
		read(set)
	}
	for f, all := range found {
		of := prometheus.GaugeValue
		if table[f].kind == total {
			of = prometheus.CounterValue
		}
		for _, r := range all {
			to <- prometheus.MustNewConstMetric(s.descs[f], of, r.value, r.labels...)
		}
	}
}

// combined returns the value that counts if two parts of the process report one.
func (k kind) combined(a, b float64) float64 {
	switch k {
	case highest:
		return max(a, b)
	case lowest:
		return min(a, b)
	default:
		return a + b
	}
}
