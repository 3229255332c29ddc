package memory

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestForget(t *testing.T) {
	call := ann(t)
	id := add(t, call, "Works at a bank", `,"tags":["job"]`)
	add(t, call, "stays", "")
	want := forgetResult{
		`Memory deleted: "Works at a bank".`, memory{id, "fact", "Works at a bank", 0.25, []string{"job"}, "2026-11-23T09:00:00Z"},
	}
	if diff := cmp.Diff(want, play[forgetResult](t, later(call, 90), "forget", quoted(id, ""))); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	if left := play[listResult](t, call, "list_memories", `{"limit":5}`); contents(left.Memories) != "stays" {
		t.Errorf("left: %+v", left)
	}
	tooltest.Run(t, Set, "forget", call, []tooltest.Case{{Name: "again", Args: quoted(id, ""), Fails: tool.NotFound}})
	if got := play[rememberResult](t, call, "remember", `{"content":"works at a bank","type":"fact"}`); got.Deduplicated {
		t.Errorf("merged with a memory that was forgotten: %+v", got)
	}
	unknown(t, "forget")
}
