package storm

import (
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// at makes an operation that began and ended at these moments.
func at(did what, began, over int64, a answer) operation {
	return operation{what: did, answer: a, began: began, over: over}
}

func TestLinear(t *testing.T) {
	ok, other := answer{state: done, outcome: "success", element: "A"}, answer{state: done, outcome: "success", element: "B"}
	unsure := answer{state: done, outcome: "outcome_unknown", element: "U"}
	off := answer{state: done, outcome: "cancelled", element: "C"}
	waits, none, full, nothing := answer{state: pending}, answer{state: absent}, answer{state: refused}, answer{}
	const read = "debug.echo"
	for name, tt := range map[string]struct {
		tool string
		ops  []operation
		want bool
	}{
		"one answer":                     {read, []operation{at(execute, 1, 2, ok)}, true},
		"the same to everybody":          {read, []operation{at(execute, 1, 2, ok), at(execute, 1, 9, ok), at(get, 3, 4, ok)}, true},
		"pending, then done":             {read, []operation{at(execute, 1, 2, waits), at(get, 3, 4, waits), at(get, 5, 6, ok)}, true},
		"pending beside done":            {read, []operation{at(execute, 1, 5, ok), at(get, 2, 6, waits)}, true},
		"unknown before it was accepted": {read, []operation{at(get, 1, 4, none), at(execute, 2, 5, ok)}, true},
		"refused, then done":             {read, []operation{at(execute, 1, 2, full), at(get, 3, 4, none), at(execute, 5, 6, ok)}, true},
		"no answer, a crash, then done": {
			read, []operation{at(execute, 1, 4, nothing), at(crash, 2, 2, nothing), at(execute, 5, 6, ok)}, true,
		},
		"acted, then done":              {effectTool, []operation{at(execute, 1, 4, ok), at(effect, 2, 2, nothing)}, true},
		"unknown, acted before":         {effectTool, []operation{at(effect, 2, 2, nothing), at(execute, 1, 4, unsure)}, true},
		"unknown, acted later":          {effectTool, []operation{at(execute, 1, 4, unsure), at(effect, 5, 5, nothing)}, true},
		"two answers":                   {read, []operation{at(execute, 1, 2, ok), at(get, 3, 4, other)}, false},
		"two answers at the same time":  {read, []operation{at(execute, 1, 4, ok), at(execute, 1, 4, other)}, false},
		"execute pending after done":    {read, []operation{at(execute, 1, 2, ok), at(execute, 3, 4, waits), at(get, 5, 6, ok)}, true},
		"pending after done":            {read, []operation{at(execute, 1, 2, ok), at(get, 3, 4, waits)}, false},
		"unknown after it was accepted": {read, []operation{at(execute, 1, 2, waits), at(get, 3, 4, none)}, false},
		"unknown after done":            {read, []operation{at(execute, 1, 2, ok), at(get, 3, 4, none)}, false},
		"acted twice": {
			effectTool, []operation{at(execute, 1, 6, ok), at(effect, 2, 2, nothing), at(effect, 3, 3, nothing)}, false,
		},
		"acted after it had succeeded": {effectTool, []operation{at(execute, 1, 2, ok), at(effect, 3, 3, nothing)}, false},
		"succeeded and did not act":    {effectTool, []operation{at(execute, 1, 2, ok)}, false},
		"cancelled though it acted":    {effectTool, []operation{at(effect, 2, 2, nothing), at(cancel, 3, 4, off)}, false},
		"acted after it was cancelled": {effectTool, []operation{at(cancel, 1, 2, off), at(effect, 3, 3, nothing)}, false},
		"unknown to one, a success to other": {
			effectTool, []operation{at(effect, 1, 1, nothing), at(execute, 1, 2, ok), at(get, 3, 4, unsure)}, false,
		},
	} {
		if got := linear(tt.tool, tt.ops, checkTimeout) == porcupine.Ok; got != tt.want {
			t.Errorf("%s: linear = %v, want %v", name, got, tt.want)
		}
	}
}

// TestUndecided: a history that is not decided in time is a problem of the run.
func TestUndecided(t *testing.T) {
	var ops []operation
	for i := range int64(40) { // which overlap, and whose last answers differ
		ops = append(ops, at(execute, 1, 1000+i, answer{state: refused}))
	}
	ops = append(ops, at(execute, 1, 2000, answer{state: done, element: "A"}), at(execute, 1, 2000, answer{state: done, element: "B"}))
	checked := linear("debug.echo", ops, time.Nanosecond)
	if checked != porcupine.Unknown {
		t.Fatalf("the check of a nanosecond is %v, want unknown", checked)
	}
	r := &Report{}
	r.history(&life{}, ops, checked)
	if r.Unchecked != 1 || r.Broken() != 1 {
		t.Errorf("the report has %d undecided histories and %d problems, want 1 and 1", r.Unchecked, r.Broken())
	}
}
