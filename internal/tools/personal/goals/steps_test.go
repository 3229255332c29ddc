package goals

import "testing"

func TestAdvance(t *testing.T) {
	for _, tt := range []struct {
		steps    []step
		progress float64
		next     int
	}{
		{[]step{{Status: "pending"}}, 0, 1},
		{[]step{{Status: "completed"}}, 100, 0},
		{[]step{{Status: "completed"}, {Status: "completed"}, {Status: "in_progress"}}, 67, 3},
		{[]step{{Status: "pending", After: []int{2}}, {Status: "pending"}}, 0, 2},
		{[]step{{Status: "pending", After: []int{2}}, {Status: "skipped"}}, 0, 1},
		{[]step{{Status: "blocked", After: []int{2}}, {Status: "completed"}}, 50, 1},
	} {
		v := stored{Steps: tt.steps}
		if v.advance(); v.Progress != tt.progress || v.Next != tt.next {
			t.Errorf("%+v: progress %v, next %d, want %v, %d", tt.steps, v.Progress, v.Next, tt.progress, tt.next)
		}
	}
}
