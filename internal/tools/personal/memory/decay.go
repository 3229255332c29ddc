package memory

import (
	"math"
	"time"
)

const (
	// halfLife is the number of days without access after which the importance is half.
	halfLife = 90
	// floor is the part of the importance that does not decay.
	floor = 0.1
)

// dayOf returns the number of the UTC day of a time. Importance changes from day to day,
// so equal calls of one day have equal results.
func dayOf(at time.Time) int { return int(math.Floor(float64(at.Unix()) / (24 * 60 * 60))) }

// factor returns the part of the importance that is left after some days without access.
func factor(days int) float64 {
	return max(floor, math.Exp2(-float64(max(days, 0))/halfLife))
}

// importance returns the importance at a time.
func (v *stored) importance(now time.Time) float64 {
	return rounded(v.Importance * factor(dayOf(now)-v.Accessed))
}

// set sets the importance, which counts as an access.
func (v *stored) set(importance float64, now time.Time) {
	v.Importance, v.Accessed = rounded(importance), dayOf(now)
	v.Strength = strength(v.Importance, v.Accessed)
}

// access records an access, and reports whether that changed something: it does once a
// day.
func (v *stored) access(now time.Time) bool {
	if v.Accessed >= dayOf(now) {
		return false
	}
	v.set(v.Importance, now)
	return true
}

// weakest is the strength of a memory of no importance.
const weakest = -1e9

// strength returns a number that compares two memories on any day as their importance
// does, as long as neither has reached its floor: the day on which the importance is 1,
// or was, if it decayed all the time.
func strength(importance float64, accessed int) float64 {
	if importance <= 0 {
		return weakest
	}
	return float64(accessed) + halfLife*math.Log2(importance)
}

// precision is the reciprocal of the step in which importances are stored and shown.
const precision = 1e4

func rounded(importance float64) float64 { return math.Round(importance*precision) / precision }

// lowest returns the lowest importance that is shown as least or more.
func lowest(least float64) float64 { return least - 0.5/precision }
