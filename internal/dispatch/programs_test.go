package dispatch

import (
	"context"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// onePrograms is a store with one program, which waits.
type onePrograms struct{ stored *call.Call }

func (p onePrograms) Begin(_ context.Context, c *call.Call, _ *tool.Definition) (*call.Call, error) {
	if c.ID != p.stored.ID {
		return nil, nil
	}
	c.Program = "the key of the stored program"
	return p.stored, nil
}

func (onePrograms) Withdraw(context.Context, string, string) error { return nil }

func (p onePrograms) Find(_, callID string) (*queue.Acceptance, []protocol.ProgramWait) {
	if callID != p.stored.ID {
		return nil, nil
	}
	return &queue.Acceptance{Tool: p.stored.Tool, User: p.stored.User}, []protocol.ProgramWait{{Kind: protocol.WaitSleep}}
}

func (onePrograms) Cancel(context.Context, string, string, string) (bool, error) { return false, nil }

// TestProgramOutlivesItsAcceptance: a call_id whose acceptance has expired belongs to the program
// that still waits under it. The same call of its person joins the program, and any other call is
// refused and does not get the key of the program.
func TestProgramOutlivesItsAcceptance(t *testing.T) {
	t.Parallel()
	first := &call.Call{
		ID: "p", Tool: "hold", User: "ann", Agent: "bot", Arguments: []byte(`{"a":1,"b":2}`), Origin: "d-1",
		AcceptedMS: time.Now().Add(-20 * 24 * time.Hour).UnixMilli(),
	}
	w := newWorld(t, func(o *Options) {
		defs := definitions()
		for i := range defs {
			defs[i].Durable = defs[i].Name == "hold"
		}
		shared := catalog.New()
		if err := shared.Put(defs...); err != nil {
			t.Fatal(err)
		}
		o.Catalog, o.Programs = catalog.NewTenants(shared), onePrograms{first}
	})
	for name, req := range map[string]Request{
		"of somebody else":     {Tenant: "acme", User: "bob", Calls: []Call{sent("p", "hold", `{"a":1,"b":2}`)}, Wait: time.Second},
		"with other arguments": request(sent("p", "hold", `{"a":2,"b":2}`)),
	} {
		el := w.execute(as(t, req.User), t, w.d, req)[0]
		if el.ErrorType != tool.ValidationError || el.Message != Reused("p").Msg {
			t.Errorf("%s: %+v", name, el)
		}
	}
	again := request(sent("p", "hold", `{"b":2,"a":1}`))
	again.Wait = time.Millisecond
	if el := w.execute(as(t, "ann"), t, w.d, again)[0]; el.Status != protocol.StatusPending || el.State != protocol.StateWaiting {
		t.Errorf("the same call: %+v", el)
	}
	w.execute(as(t, "ann"), t, w.d, request(sent("", "echo", ""))) // what was queued before is with the worker
	if len(w.held) > 0 {
		t.Errorf("%d calls were queued", len(w.held))
	}
}
