package memory

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestBoostMemory(t *testing.T) {
	call := ann(t)
	id := add(t, call, "Plays chess", `,"importance":0.7`)
	want := boostResult{`Memory boosted to importance 0.8: "Plays chess".`, boosted{id, "Plays chess", 0.8}}
	if diff := cmp.Diff(want, play[boostResult](t, call, "boost_memory", quoted(id, ""))); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	for _, tt := range []struct {
		days int
		more string
		want float64
	}{
		{90, `,"amount":0.05`, 0.85}, // 0.4 before: the access restores what was set
		{90, `,"amount":0`, 0.85},
		{90, `,"amount":1e308`, 1},
		{90, ``, 1},
	} {
		if got := play[boostResult](t, later(call, tt.days), "boost_memory", quoted(id, tt.more)).Memory.Importance; got != tt.want {
			t.Errorf("boosted by %s: %v, want %v", tt.more, got, tt.want)
		}
	}
	if got := play[listResult](t, later(call, 180), "list_memories", `{"limit":1}`).Memories[0].Importance; got != 0.5 {
		t.Errorf("90 days after the boost: %v, want 0.5", got)
	}
	tooltest.Run(t, Set, "boost_memory", call, []tooltest.Case{
		{Name: "negative", Args: quoted(id, `,"amount":-0.1`), Fails: tool.ValidationError, Message: "amount"},
		{Name: "huge", Args: quoted(id, `,"amount":-1e400`), Fails: tool.ValidationError, Message: "amount"},
		{Name: "no number", Args: quoted(id, `,"amount":"much"`), Fails: tool.ValidationError, Message: "amount"},
	})
	unknown(t, "boost_memory")
}
