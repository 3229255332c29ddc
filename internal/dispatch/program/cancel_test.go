package program

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/bus/programs"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/durable"
	"github.com/helve-dev/helve/internal/test/testtime"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// ends takes the records of programs that end while they wait.
type ends chan *protocol.AuditRecord

func (e ends) End(_ context.Context, _, _ string, _ []byte, r *protocol.AuditRecord) error {
	e <- r
	return nil
}

// TestCancelledWhileParked: a program that is stored as waiting is cancelled, although its worker still has
// the call: that worker has nothing more to do than to take it off the queue.
func TestCancelledWhileParked(t *testing.T) {
	t.Parallel()
	s, c := opened(t, `{"code":"x"}`)
	ended := make(ends, 1)
	s.Trail = ended
	if err := s.Queue.Owners.ServeProbe(func(_, callID string) *call.Owner {
		return &call.Owner{State: protocol.StateRunning, Tool: RunProgram, By: "w-1"}
	}); err != nil {
		t.Fatal(err)
	}
	sleep := fmt.Sprintf(`{"sleeps":[{"n":1,"until_ms":%d}]}`, time.Now().Add(time.Hour).UnixMilli())
	if a := turnOf(t, s, c)(peer.ProgramNext, sleep); !a.Waits {
		t.Fatalf("a program that sleeps is answered %+v", a)
	}
	key := programs.Key{Tenant: c.Tenant, CallID: c.ID}
	for s.index.get(key) == nil {
		select {
		case <-s.index.changed:
		case <-time.After(testtime.Patience()):
			t.Fatal("the program is not followed")
		}
	}
	if done, err := s.Cancel(t.Context(), c.Tenant, c.ID, "ann"); !done || err != nil {
		t.Fatalf("cancelled: %v, %v", done, err)
	}
	p, _, err := s.Store.Read(t.Context(), key)
	if err != nil || p.State != durable.Done || p.ErrorType != tool.Cancelled || len(ended) != 1 {
		t.Errorf("the program is %+v, %v, with %d records", p, err, len(ended))
	}
}
