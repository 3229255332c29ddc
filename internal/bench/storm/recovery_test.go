package storm

import (
	"slices"
	"testing"
	"time"
)

// TestRecoveries computes the times of two faults, the second of which comes before the
// first is recovered from.
func TestRecoveries(t *testing.T) {
	at := func(s float64) int64 { return int64(s * float64(time.Second)) }
	ended := func(began, over float64) operation {
		return operation{what: execute, answer: answer{state: done}, began: at(began), over: at(over)}
	}
	l := &load{lives: []life{
		{ops: []operation{ended(0, 0.5), ended(0.9, 1.5), ended(2.5, 4)}},
		{ops: []operation{ended(4, 4.5), {what: execute, answer: answer{state: pending}, began: at(1.1), over: at(1.2)}}},
	}}
	fault := func(s float64, name string) operation {
		return operation{what: crash, answer: answer{outcome: name}, began: at(s), over: at(s)}
	}
	got := l.recoveries([]operation{fault(1, "first"), fault(2, "second"), fault(9, "last")})
	want := []Recovery{{"first", 3, 2.5}, {"second", 2, 2}, {"last", -1, -1}}
	if !slices.Equal(got, want) {
		t.Errorf("recoveries = %v, want %v", got, want)
	}
}
