package telemetry

import (
	"maps"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/helve-dev/helve/tool"
)

// outcome is the label set under which a call is counted.
type outcome struct{ tool, status, errorType string }

// series holds the metrics of one outcome, looked up once.
type series struct {
	total    prometheus.Counter
	duration prometheus.Observer
	traced   prometheus.ExemplarObserver // the same
}

// maxTools limits the tools with series of their own. It protects against a caller that
// passes unchecked names; it is not a limit of the catalogue.
const maxTools = 2000

// unknown is the label of values outside the closed sets, and of tools beyond maxTools.
const unknown = "unknown"

// maxTenants limits the tenants with series of their own.
const maxTenants = 200

// CallDone records the end of a call: its tool, its status (success or error), its
// error_type (empty on success), how long the tool ran and how long the worker spent
// otherwise. The caller passes "unknown" for a tool that is not in the catalogue. A
// call whose tool never ran passes 0 for ran and is not counted in the tool's
// durations.
func (m *Metrics) CallDone(name, status, errorType string, ran, overhead time.Duration) {
	m.CallTraced(name, status, errorType, ran, overhead, "", "")
}

const (
	exemplarTrace, exemplarSpan = "trace_id", "span_id" // labels of exemplars
	traceLength, spanLength     = 32, 16                // of ids
)

// CallTraced is CallDone with the trace and span of the call, if it is recorded: a scrape
// shows both as the exemplar of the call's duration. An empty span is none.
func (m *Metrics) CallTraced(name, status, errorType string, ran, overhead time.Duration, traceID, spanID string) {
	s, ok := (*m.known.Load())[outcome{name, status, errorType}]
	if !ok {
		s = m.series(name, status, errorType)
	}
	s.total.Inc()
	switch {
	case ran <= 0:
	case len(traceID) != traceLength || len(spanID) != spanLength: // too long a label would panic
		s.duration.Observe(ran.Seconds())
	default:
		s.traced.ObserveWithExemplar(ran.Seconds(), prometheus.Labels{exemplarTrace: label(traceID), exemplarSpan: label(spanID)})
	}
	m.overhead.Observe(overhead.Seconds())
}

// series returns the metrics of an outcome, creating them at first use. The map is
// replaced, not changed, so that CallDone reads it without a lock.
func (m *Metrics) series(name, status, errorType string) series {
	m.mu.Lock()
	defer m.mu.Unlock()
	name = m.tools.value(name)
	if status != "success" && status != "error" {
		status = unknown
	}
	if errorType != "" && !slices.Contains(tool.Kinds(), tool.Kind(errorType)) {
		errorType = unknown
	}
	key := outcome{name, status, errorType}
	if s, ok := (*m.known.Load())[key]; ok {
		return s
	}
	s := series{
		total:    m.calls.WithLabelValues(name, status, errorType),
		duration: m.duration.WithLabelValues(name),
	}
	s.traced, _ = s.duration.(prometheus.ExemplarObserver) // every histogram is one
	next := maps.Clone(*m.known.Load())
	next[key] = s
	m.known.Store(&next)
	return s
}

// tenantOutcome is the label set under which a tenant's call is counted.
type tenantOutcome struct{ tenant, status string }

// TenantCall counts a call that ended for a tenant.
func (m *Metrics) TenantCall(tenant, status string) {
	key := tenantOutcome{tenant, status}
	if c := m.byTenant.get(key); c != nil {
		c.Inc()
		return
	}
	m.mu.Lock()
	name := m.tenants.value(tenant)
	m.mu.Unlock()
	c := m.tenantCalls.WithLabelValues(name, label(status))
	if name == tenant {
		m.byTenant.put(key, c)
	}
	c.Inc()
}
