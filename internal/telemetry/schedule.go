package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/helve-dev/helve/protocol"
)

// schedule holds the metrics of scheduled tasks.
type schedule struct {
	lag  prometheus.Histogram
	runs *prometheus.CounterVec
}

func newSchedule(r *register) schedule {
	s := schedule{
		lag: r.histogram("helve_schedule_lag_seconds", "Time from when a scheduled task was due to when its call was made.",
			[]float64{.01, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 120, 600}),
		runs: r.counters("helve_schedule_runs_total", "Runs of scheduled tasks that ended, by outcome: success or error.", "outcome"),
	}
	for _, outcome := range []string{protocol.StatusSuccess, protocol.StatusError} {
		s.runs.WithLabelValues(outcome)
	}
	return s
}

// ScheduleMade records how long after its time a run was made.
func (s schedule) ScheduleMade(late time.Duration) { s.lag.Observe(max(late, 0).Seconds()) }

// ScheduleEnded counts a run that ended.
func (s schedule) ScheduleEnded(outcome string) { s.runs.WithLabelValues(outcome).Inc() }
