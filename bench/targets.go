package bench

import (
	"fmt"
	"math"
)

// target is the range that a figure of a scenario must be in.
type target struct {
	figure      string
	least, most float64
}

// targetsOf returns the targets of a scenario, for a machine without other work.
func targetsOf(scenario string) []target {
	switch scenario {
	case "recovery":
		return []target{
			{"worker_killed_s", 0, 6}, {"dispatcher_killed_s", 0, 1}, {"nats_restarted_s", 0, 5}, {"r3_of_r1", 0.5, math.Inf(1)},
		}
	case "autoscale":
		return []target{{"lost", 0, 0}, {"doubled", 0, 0}, {"most_workers", 20, 20}}
	case "rolling":
		return []target{{"rolling_failed", 0, 0}, {"p99_ratio", 0, 3}}
	}
	return nil
}

// Missed describes the targets of the scenario that the figures miss. A figure that was not
// measured misses its target.
func (s *Sheet) Missed() (missed []string) {
	figures := make(map[string]float64, len(s.Figures))
	for _, f := range s.Figures {
		figures[f.Name] = f.Value
	}
	for _, t := range targetsOf(s.Scenario) {
		switch value, measured := figures[t.figure]; {
		case !measured:
			missed = append(missed, t.figure+" was not measured")
		case value < t.least || value > t.most || math.IsNaN(value):
			missed = append(missed, fmt.Sprintf("%s is %s, want %s to %s", t.figure, brief(value), brief(t.least), brief(t.most)))
		}
	}
	return missed
}
