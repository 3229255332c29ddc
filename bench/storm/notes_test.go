package storm

import "testing"

// TestNoted: a report counts each call whose notes are not what its outcome says.
func TestNoted(t *testing.T) {
	for _, tt := range []struct {
		tool, outcome string
		notes         int
		want          Report
	}{
		{noteTool, "success", 1, Report{}},
		{noteTool, "cancelled", 0, Report{}},
		{noteTool, "success", 0, Report{Unfounded: 1}},
		{noteTool, "success", 2, Report{Effects: 1}},
		{noteTool, "cancelled", 1, Report{Unfinished: 1}},
		{noteTool, "outcome_unknown", 0, Report{Unfinished: 1}},
		{effectTool, "success", 0, Report{}},
	} {
		v := &life{call: call{ID: "c", Tool: tt.tool}, ops: []operation{at(get, 1, 2, answer{state: done, outcome: tt.outcome})}}
		var got Report
		v.noted(&got, tt.notes)
		if got.Effects != tt.want.Effects || got.Unfounded != tt.want.Unfounded || got.Unfinished != tt.want.Unfinished ||
			got.Broken() != len(got.Samples) {
			t.Errorf("%s ended in %s with %d notes: %+v, want %+v", tt.tool, tt.outcome, tt.notes, got, tt.want)
		}
	}
}
