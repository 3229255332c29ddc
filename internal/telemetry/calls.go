package telemetry

import (
	"maps"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/helve-dev/helve/tool"
)

// outcome is what a call is counted under.
type outcome struct{ tool, status, errorType string }

// series are the metrics of one outcome, looked up once.
type series struct {
	total    prometheus.Counter
	duration prometheus.Observer
}

// maxTools bounds the tools with series of their own. It is a fence against a
// caller that passes on names nobody vetted, not a limit of the catalogue.
const maxTools = 2000

// unknown is the label of what is outside the closed sets, and of tools past
// maxTools.
const unknown = "unknown"

// CallDone records the end of a call: its tool, its status (success or error),
// its error_type (empty on success), how long the tool ran and how long the
// worker spent beside that. The caller passes "unknown" for a tool that is not
// in the catalogue. A call whose tool never ran passes 0 for ran and is left
// out of the tool's durations.
func (m *Metrics) CallDone(name, status, errorType string, ran, overhead time.Duration) {
	s, ok := (*m.known.Load())[outcome{name, status, errorType}]
	if !ok {
		s = m.series(name, status, errorType)
	}
	s.total.Inc()
	if ran > 0 {
		s.duration.Observe(ran.Seconds())
	}
	m.overhead.Observe(overhead.Seconds())
}

// series returns the metrics of an outcome seen for the first time. The map is
// replaced, not changed, so that CallDone reads it without a lock.
func (m *Metrics) series(name, status, errorType string) series {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.tools[name] && len(m.tools) >= maxTools {
		name = unknown
	}
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
	m.tools[name] = true
	s := series{
		total:    m.calls.WithLabelValues(name, status, errorType),
		duration: m.duration.WithLabelValues(name),
	}
	next := maps.Clone(*m.known.Load())
	next[key] = s
	m.known.Store(&next)
	return s
}
