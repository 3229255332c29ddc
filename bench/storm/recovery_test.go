package storm

import (
	"slices"
	"strings"
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
	l := &load{over: at(9.5), lives: []life{
		{
			ops: []operation{
				ended(0, 0.5), ended(0.9, 1.5), ended(2.5, 4), {what: execute, began: at(9.1), over: at(9.4)},
				{what: get, answer: answer{state: done}, began: at(20), over: at(21)},
			},
		},
		{ops: []operation{ended(4, 4.5), {what: execute, answer: answer{state: pending}, began: at(1.1), over: at(1.2)}}},
	}}
	fault := func(s float64, name string) operation {
		return operation{what: crash, answer: answer{outcome: name}, began: at(s), over: at(s)}
	}
	got := l.recoveries([]operation{fault(1, "first"), fault(2, "second"), fault(9, "last"), fault(9.3, "late")})
	want := []Recovery{
		{Fault: "first", First: 3, Gap: 2.5}, {Fault: "second", First: 2, Gap: 2}, {Fault: "last", First: -1, Gap: -1},
		{Fault: "late", First: -1, Gap: -1, NoLoad: true},
	}
	if !slices.Equal(got, want) {
		t.Errorf("recoveries = %v, want %v", got, want)
	}
	var table strings.Builder
	if err := (&Report{Recoveries: got}).Table(&table); err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{"first   3.00 s", "last    no answer", "late    no load"} {
		if !strings.Contains(table.String(), row) {
			t.Errorf("the table lacks %q:\n%s", row, table.String())
		}
	}
}
