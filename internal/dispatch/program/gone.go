package program

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/programs"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/durable"
	"github.com/helve-dev/helve/tool"
)

// goneTime is the time for which a removed program is remembered. It is shorter than that of the
// marker in the bucket, which tells a program that Helve removed from a program that was lost.
const goneTime = 30 * time.Second

// gone is a program that waited when it was removed from the bucket.
type gone struct {
	*known

	at time.Time
}

// note remembers a program that waited and was removed. The caller holds mu.
func (x *index) note(k programs.Key, old *known, p *durable.Program) {
	delete(x.gone, k)
	if p == nil && old.state == durable.Waiting {
		x.gone[k] = &gone{old, time.Now()}
	}
	for other, of := range x.gone {
		if time.Since(of.at) > goneTime {
			delete(x.gone, other)
		}
	}
}

// takeGone returns a program that waited when it was removed, nil if there is none.
func (x *index) takeGone(k programs.Key) *known {
	x.mu.Lock()
	defer x.mu.Unlock()
	of := x.gone[k]
	delete(x.gone, k)
	if of == nil || time.Since(of.at) > goneTime {
		return nil
	}
	return of.known
}

// endGone ends a program whose state is lost with its bucket: nobody else would end its call, which
// is in no queue. It stores the program as a cancelled program, if the bucket has nothing of it,
// not even the marker of a removal. It returns false for a program that was removed.
func (w *waker) endGone(ctx context.Context, k *known) bool {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	stored, revision, err := w.Store.Read(ctx, k.key)
	if stored != nil || revision > 0 || err != nil {
		return stored != nil || err != nil
	}
	p := durable.New(&call.Call{
		ID: k.key.CallID, Tenant: k.key.Tenant, User: k.user, Agent: k.agent, Conversation: k.conversation, Parent: k.parent,
		Tool: k.tool, Pool: k.pool, TraceID: k.trace, Origin: w.Queue.Conn.ID(), AcceptedMS: k.startedMS,
	}, durable.DefaultTime, 0)
	p.State, p.Wake, p.Steps, p.DeadlineMS = durable.Waiting, k.wake, k.steps, k.deadlineMS
	p.Cancelled, p.Lost = true, true
	err = w.Store.Create(ctx, k.key, p)
	if err == nil {
		w.Log.Error("state of a program lost, program ended", zap.String("call", k.key.Tenant+"/"+k.key.CallID))
	} else if !errors.Is(err, natsio.ErrExists) {
		w.Log.Warn("program without a state not ended", zap.String("call", k.key.Tenant+"/"+k.key.CallID), zap.Error(err))
	}
	return true
}

// whyEnded returns the end of a program that ends while it waits.
func whyEnded(p *durable.Program) *tool.Error {
	if p.Lost {
		return tool.Fail(tool.ExecutionError,
			"the state of the program was lost, because something deleted it; it did nothing further. The steps that it made are calls of their own")
	}
	return tool.Fail(tool.Cancelled, "the program was cancelled while it waited")
}
