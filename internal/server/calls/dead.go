package calls

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/helve-dev/helve/internal/audit/trail"
	"github.com/helve-dev/helve/internal/bus/deadletters"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/protocol"
)

// Dead implements [api.Dead]. Each change is recorded before it takes effect.
type Dead struct {
	Queue   *queue.Queue
	Catalog api.Catalog
	Trail   trail.Writer
	// QueueTTL is the time that a requeued call may wait for a worker, OnceKept the time
	// for which the queue remembers that a call has started.
	QueueTTL, OnceKept time.Duration
}

// List implements [api.Dead].
func (d Dead) List(ctx context.Context, tenant string, after uint64, limit int) ([]protocol.DeadLetter, error) {
	var list []protocol.DeadLetter
	for from := after + 1; len(list) < limit; {
		letter, err := deadletters.On(d.Queue).Next(ctx, tenant, from)
		if errors.Is(err, deadletters.ErrNone) {
			break
		}
		if err != nil {
			return nil, err
		}
		list = append(list, shown(letter))
		from = letter.Seq + 1
	}
	return list, nil
}

// shown returns a letter without the arguments of its call.
func shown(d *deadletters.Letter) protocol.DeadLetter {
	p := protocol.DeadLetter{Seq: d.Seq, At: d.At, Pool: d.Pool, Reason: d.Reason, Bytes: len(d.Data)}
	if c := d.Call; c != nil {
		p.CallID, p.Tool, p.User, p.Agent, p.TraceID = c.ID, c.Tool, c.User, c.Agent, c.TraceID
	}
	return p
}

// Get implements [api.Dead].
func (d Dead) Get(ctx context.Context, tenant string, seq uint64) (protocol.DeadLetter, error) {
	p, _, err := d.get(ctx, tenant, seq)
	return p, err
}

func (d Dead) get(ctx context.Context, tenant string, seq uint64) (protocol.DeadLetter, *deadletters.Letter, error) {
	letter, err := deadletters.On(d.Queue).At(ctx, tenant, seq)
	if errors.Is(err, deadletters.ErrNone) {
		return protocol.DeadLetter{}, nil, noLetter(seq)
	}
	if err != nil {
		return protocol.DeadLetter{}, nil, err
	}
	p := shown(letter)
	p.Subject = letter.Subject
	if letter.Call == nil {
		p.Risk = "the message cannot be read here, so nobody knows whether its call has started: its effect may happen a second time"
		return p, letter, nil
	}
	stored, err := d.Queue.Results.Result(ctx, tenant, letter.Call.ID)
	if err != nil {
		return p, nil, err
	}
	if p.Result = stored != nil; !p.Result {
		p.Risk, err = d.risk(ctx, tenant, letter)
	}
	return p, letter, err
}

// risk returns what may happen if the call of a letter is requeued; empty if nothing that
// was not asked for.
func (d Dead) risk(ctx context.Context, tenant string, letter *deadletters.Letter) (string, error) {
	c := letter.Call
	if def, ok := d.Catalog.Of(tenant, c.User).Lookup(c.Tool); ok && (!def.Mutates || def.Idempotent) {
		return "", nil
	}
	fence, err := d.Queue.Calls.Fenced(ctx, tenant, c.ID)
	switch {
	case err != nil:
		return "", err
	case fence != nil && fence.Ended == "":
		return "the call has started before and its end is unknown: its effect may have happened; " +
			"it is not run again, but ends with outcome_unknown", nil
	case fence == nil && time.Since(c.Accepted()) > d.OnceKept:
		return fmt.Sprintf("the call is older than %s, so nobody knows whether it has started: its effect may happen a second time", d.OnceKept),
			nil
	}
	return "", nil
}

// Requeue implements [api.Dead].
func (d Dead) Requeue(ctx context.Context, tenant string, seq uint64, force bool, by string) (protocol.DeadLetter, error) {
	p, letter, err := d.get(ctx, tenant, seq)
	switch {
	case err != nil:
		return p, err
	case p.Result:
		return p, api.Conflict("call %s has a result already; drop the dead letter", p.CallID)
	case p.Risk != "" && !force:
		return p, api.Conflict("%s; requeue it with force if that is acceptable", p.Risk)
	}
	what := "requeue ordered"
	if p.Risk != "" {
		what += " by force: " + p.Risk
	}
	if err := d.write(ctx, tenant, p, by, what); err != nil {
		return p, err
	}
	err = deadletters.On(d.Queue).Requeue(ctx, letter, time.Now().Add(d.QueueTTL))
	switch {
	case errors.Is(err, natsio.ErrExists):
		return p, api.Conflict("dead letter %d was just requeued by another request", seq)
	case errors.Is(err, deadletters.ErrSubject):
		return p, api.Conflict("dead letter %d cannot be requeued: %v; drop it", seq, err)
	}
	return p, err
}

// Drop implements [api.Dead].
func (d Dead) Drop(ctx context.Context, tenant string, seq uint64, by string) error {
	letter, err := deadletters.On(d.Queue).At(ctx, tenant, seq)
	if errors.Is(err, deadletters.ErrNone) {
		return noLetter(seq)
	}
	if err == nil {
		err = d.write(ctx, tenant, shown(letter), by, "drop ordered")
	}
	if err == nil {
		err = deadletters.On(d.Queue).Drop(ctx, seq)
	}
	if errors.Is(err, deadletters.ErrNone) {
		return noLetter(seq)
	}
	return err
}

func (d Dead) write(ctx context.Context, tenant string, p protocol.DeadLetter, by, what string) error {
	return d.Trail.Write(ctx, &protocol.AuditRecord{
		Phase: protocol.AuditDeadChanged, Tenant: tenant, User: p.User, Agent: p.Agent, CallID: p.CallID, TraceID: p.TraceID, Tool: p.Tool,
		By: by, Decision: &protocol.AuditDecision{Outcome: protocol.OutcomeAllowed},
		Detail: fmt.Sprintf("dead letter %d of pool %s: %s", p.Seq, p.Pool, what),
	})
}

func noLetter(seq uint64) error {
	return api.NotFound("there is no dead letter %d; `helve dead list` lists those that are there", seq)
}
