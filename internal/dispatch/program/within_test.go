package program

import (
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/programs"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/durable"
	"github.com/helve-dev/helve/protocol"
)

// TestAwaitedWithin: a program that waits for a program in it waits for the things that this one
// waits for; a step that runs stays, and another tenant's program is not read.
func TestAwaitedWithin(t *testing.T) {
	x := newIndex()
	until := time.Unix(0, 0)
	set := func(tenant, id string, state durable.State, waits ...protocol.ProgramWait) {
		x.set(programs.Key{Tenant: tenant, CallID: id}, &durable.Program{Call: &call.Call{}, State: state, Waits: waits})
	}
	step := func(id string) protocol.ProgramWait { return protocol.ProgramWait{Kind: protocol.WaitCall, CallID: id} }
	set("t", "p", durable.Waiting, step("p~1"), step("p~2"), step("p~3"), step("p~4"))
	set("t", "p~1", durable.Waiting, step("p~1~1"), protocol.ProgramWait{Kind: protocol.WaitSleep, Until: &until})
	set("t", "p~1~1", durable.Waiting, protocol.ProgramWait{Kind: protocol.WaitAnswer, CallID: "p~1~1~1", ConsentID: "k"})
	set("t", "p~2", durable.Queued)
	set("other", "p~3", durable.Waiting, protocol.ProgramWait{Kind: protocol.WaitAnswer, ConsentID: "theirs"})
	got := ""
	for _, w := range x.awaited(x.get(programs.Key{Tenant: "t", CallID: "p"})) {
		got += w.Kind + " " + w.CallID + w.ConsentID + ";"
	}
	if want := "answer p~1~1~1k;sleep ;call p~2;call p~3;call p~4;"; got != want {
		t.Errorf("awaited = %q, want %q", got, want)
	}
}
