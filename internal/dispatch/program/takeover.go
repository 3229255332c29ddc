package program

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/programs"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/durable"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/tool"
)

// goOn makes p go on where the program that its call retries has failed, if it retries one: its
// journal begins as a copy, and its code sees the same id and times. A call that only names
// another one as the call that it repeats begins from its beginning.
func (s *Service) goOn(ctx context.Context, c *call.Call, p *durable.Program) error {
	if c.RerunOf == "" {
		return nil
	}
	from := programs.Key{Tenant: c.Tenant, CallID: c.RerunOf}
	prior, _, err := s.Store.Read(ctx, from)
	if prior == nil || err != nil || !retries(c, prior) {
		return err
	}
	own := programs.Key{Tenant: c.Tenant, CallID: c.ID}
	if stored, _, err := s.Store.Read(ctx, own); stored != nil || err != nil {
		return err // the call is sent again
	}
	entries, err := s.takeOver(ctx, from, prior)
	if refused, ok := errors.AsType[*Refused](err); ok {
		return tool.Fail(tool.ValidationError, "%s", refused.Msg)
	}
	if err != nil {
		return err
	}
	p.CodeID, p.CodeStartMS = cmp.Or(prior.CodeID, from.CallID), cmp.Or(prior.CodeStartMS, prior.StartedMS)
	p.Saved = prior.Saved
	p.Last, err = s.copyJournal(ctx, own, p, entries)
	for i := range entries {
		p.Steps += len(entries[i].Made)
	}
	return err
}

// retries reports whether a call is the retry of a program: no other call has its id, tool and
// arguments, and nobody else may make it.
func retries(c *call.Call, prior *durable.Program) bool {
	was := prior.Call
	return prior.RetriedBy == c.ID && was.User == c.User && was.Agent == c.Agent && was.Conversation == c.Conversation &&
		durable.Hash(was.Tool, was.Arguments) == durable.Hash(c.Tool, c.Arguments)
}

// copyJournal appends the entries that a journal does not have, and returns the place of its last.
// Another process may do the same.
func (s *Service) copyJournal(ctx context.Context, k programs.Key, p *durable.Program, entries []durable.Entry) (last uint64, err error) {
	have := 0
	if last, err = s.Store.Journal(ctx, k, p, func(*durable.Entry) error {
		have++
		return nil
	}); err != nil {
		return 0, err
	}
	for i := have; i < len(entries); i++ {
		last, _, err = s.Store.Append(ctx, k, p, &entries[i], last)
		if errors.Is(err, natsio.ErrExists) {
			return 0, natsio.ErrUnavailable // the request is made again, and finds what the other one made
		}
		if err != nil {
			return 0, err
		}
	}
	return last, nil
}

// steps holds the steps of a program as its journal has them, by their numbers.
type steps struct {
	made   map[int]*durable.Made
	events map[int]*durable.Event
}

func openedSteps(entries []durable.Entry) steps {
	o := steps{map[int]*durable.Made{}, map[int]*durable.Event{}}
	for i := range entries {
		for j := range entries[i].Made {
			o.made[entries[i].Made[j].N] = &entries[i].Made[j]
		}
		for j := range entries[i].Events {
			if n := entries[i].Events[j].Step; n > 0 {
				o.events[n] = &entries[i].Events[j]
			}
		}
	}
	return o
}

// open returns the steps without an outcome.
func (o steps) open() map[int]bool {
	open := map[int]bool{}
	for n := range o.made {
		if o.events[n] == nil {
			open[n] = true
		}
	}
	return open
}

// keep makes the entries of a program those of its retry: steps that have an outcome keep the ids
// of their calls, and the outcome of the failed one is left out.
func (o steps) keep(k programs.Key, failed int, entries []durable.Entry) {
	for i := range entries {
		e := &entries[i]
		e.CPUMS = 0 // the code has its time again
		for j := range e.Made {
			m := &e.Made[j]
			if o.events[m.N] == nil {
				m.CallID = ""
			} else if m.CallID == "" {
				m.CallID = durable.StepID(k.CallID, m.N)
			}
		}
		e.Events = slices.DeleteFunc(e.Events, func(event durable.Event) bool { return event.Step == failed && failed > 0 })
	}
}

// repeatable returns nil if a step may be made again. A step that may have acted must be safe to
// repeat; a program in the program is not, once it has made steps.
func (s *Service) repeatable(ctx context.Context, k programs.Key, p *durable.Program, made *durable.Made, id string, unknown bool) error {
	c := p.Call
	def, known := s.Lookup(k.Tenant, c.User, c.Conversation, made.Tool)
	inner, _, err := s.Store.Read(ctx, programs.Key{Tenant: k.Tenant, CallID: id})
	switch {
	case err != nil:
		return err
	case inner != nil && inner.Last > 0 || inner == nil && known && def.Durable:
		return refuse("step %d, '%s', is a program that may have made steps itself, and they would be made twice; "+
			"look at helve programs show %s, and run a corrected program for the rest", made.N, made.Tool, id)
	case !unknown:
		return nil
	}
	through := made.Tool == catalog.UseTool || made.Tool == catalog.BatchUseTool
	if known && !through && (!def.Mutates || def.Idempotent) {
		return nil
	}
	return refuse("nobody knows whether step %d, '%s', has acted, and it is not safe to make it twice; look for its effect "+
		"(helve calls get %s), and run a corrected program for the rest", made.N, made.Tool, id)
}
