package memory

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMemoryStats(t *testing.T) {
	call := ann(t)
	want := statsResult{Message: "0 memory(ies), 0 of them from the last 7 days."}
	if diff := cmp.Diff(want, play[statsResult](t, call, "memory_stats", `{}`)); diff != "" {
		t.Errorf("of nothing (-want +got):\n%s", diff)
	}
	play[batchResult](t, call, "batch_remember",
		`{"memories":[{"content":"a","type":"fact","importance":1},{"content":"b","type":"preference","importance":0.6},{"content":"c","type":"event","importance":0}]}`)
	play[batchResult](t, later(call, 90), "batch_remember",
		`{"memories":[{"content":"d","type":"fact","importance":0.4},{"content":"e","type":"skill"},{"content":"A","type":"skill","importance":0.1}]}`)
	bob := call
	bob.User = "bob"
	add(t, bob, "Bob's", "")
	want = statsResult{"5 memory(ies), 2 of them from the last 7 days.", stats{5, byType{2, 1, 1, 1}, 0.44, 2}} // 1, 0.3, 0, 0.4, 0.5
	if diff := cmp.Diff(want, play[statsResult](t, later(call, 90), "memory_stats", `{}`)); diff != "" {
		t.Errorf("stats (-want +got):\n%s", diff)
	}
	if got := play[statsResult](t, later(call, 97), "memory_stats", `{}`).Stats.AddedThisWeek; got != 2 {
		t.Errorf("%d added in the last 7 days, want 2", got)
	}
	if got := play[statsResult](t, later(call, 98), "memory_stats", `{}`).Stats.AddedThisWeek; got != 0 {
		t.Errorf("%d added in the last 7 days, want none", got)
	}
}
