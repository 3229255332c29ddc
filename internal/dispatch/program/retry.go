package program

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/programs"
	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/internal/durable"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Refused is the reason why a program is not retried.
type Refused struct{ Msg string }

// Error returns the sentence.
func (r *Refused) Error() string { return r.Msg }

func refuse(format string, args ...any) error { return &Refused{fmt.Sprintf(format, args...)} }

// Retry makes a failed program go on as a new call, if permit allows that, and answers as execute
// does. A program is retried by one call only: each further request joins that call. So no step
// is made by two retries.
func (s *Service) Retry(
	ctx context.Context, tenant, callID string, permit func(p *protocol.Program, conversation string) error,
) (dispatch.Response, error) {
	k := programs.Key{Tenant: tenant, CallID: callID}
	for {
		p, revision, err := s.Store.Read(ctx, k)
		if err == nil && p == nil {
			err = ErrUnknown
		}
		if err != nil {
			return dispatch.Response{}, err
		}
		shown := knownOf(k, p).shown()
		if err := permit(&shown, p.Call.Conversation); err != nil {
			return dispatch.Response{}, err
		}
		if p.RetriedBy == "" {
			if _, err := s.takeOver(ctx, k, p); err != nil {
				return dispatch.Response{}, err
			}
			p.RetriedBy = "r-" + dispatch.NewID() // no id that a call may have without an acceptance
			err := s.Store.End(ctx, k, p, revision)
			if errors.Is(err, natsio.ErrExists) {
				continue
			}
			if err != nil {
				return dispatch.Response{}, err
			}
		}
		return s.calls.Execute(ctx, requestOf(k, p))
	}
}

// requestOf returns the request for the call that retries a program: the same call of the same
// person, which passes the whole gate again.
func requestOf(k programs.Key, p *durable.Program) dispatch.Request {
	c := *p.Call
	retry := dispatch.Call{}
	retry.ID, retry.Tool, retry.Arguments, retry.RerunOf = p.RetriedBy, c.Tool, c.Arguments, k.CallID
	retry.TimeoutMS, retry.Priority = c.TimeoutMS, c.Priority
	return dispatch.Request{
		Tenant: k.Tenant, User: c.User, Agent: c.Agent, Conversation: c.Conversation, Timezone: c.Timezone, Toolset: c.Toolset,
		Via:   c.Via,
		Calls: []dispatch.Call{retry},
	}
}

// retriable returns nil if a program may be retried by what its end says.
func retriable(p *durable.Program) error {
	switch {
	case p.State != durable.Done:
		return refuse("the program has not ended; wait for its end, or cancel it")
	case p.Status == protocol.StatusSuccess:
		return refuse("the program has succeeded, so there is nothing to go on with; make the call again to run it from its beginning")
	case p.Call.Parent != "":
		return refuse("the program is a step of program %s, which has seen its end; retry that one", p.Call.Parent)
	case p.Failed > 0:
		return nil
	}
	switch p.ErrorType {
	case tool.Timeout:
		if p.EndedMS+deadlineSlack.Milliseconds() >= p.DeadlineMS {
			return nil // its time was over, and a retry has as much again
		}
	case tool.ExecutionError, tool.ValidationError, tool.RateLimited:
	default:
		return nil
	}
	return refuse("the program did not end because of a step, so it would end in the same way again: %s; run a corrected program", p.Message)
}

// deadlineSlack is the time before its deadline within which a timeout of a program is that of
// the program, and not of its code.
const deadlineSlack = time.Second

// takeOver returns the entries of the journal of a failed program with which its retry begins. The
// outcome of the step whose error ended the program is left out, so that the step is made again;
// steps that had no outcome are made again too, unless they have one by now.
func (s *Service) takeOver(ctx context.Context, k programs.Key, p *durable.Program) ([]durable.Entry, error) {
	if err := retriable(p); err != nil {
		return nil, err
	}
	var entries []durable.Entry
	if _, err := s.Store.Journal(ctx, k, p, func(e *durable.Entry) error {
		entries = append(entries, *e)
		return nil
	}); err != nil {
		return nil, err
	}
	o := openedSteps(entries)
	if p.Failed > 0 {
		event := o.events[p.Failed]
		made := o.made[p.Failed]
		if event == nil || event.Error == nil || made == nil {
			return nil, refuse("the error that ended the program is not that of a step; run a corrected program")
		}
		id := event.Error.CallID
		if err := s.repeatable(ctx, k, p, made, id, event.Error.Type == tool.OutcomeUnknown); err != nil {
			return nil, err
		}
		delete(o.events, p.Failed)
	}
	last := durable.Entry{AtMS: p.EndedMS}
	for _, n := range sortedKeys(o.open()) {
		event, err := s.lateOutcome(ctx, k, p, o.made[n])
		if err != nil {
			return nil, err
		}
		if event != nil {
			o.events[n] = event
			last.Events = append(last.Events, *event)
		}
	}
	o.keep(k, p.Failed, entries)
	if len(last.Events) > 0 {
		entries = append(entries, last)
	}
	return entries, nil
}

// lateOutcome returns the outcome of a step that the journal has none of, nil for a step that is
// to be made again.
func (s *Service) lateOutcome(ctx context.Context, k programs.Key, p *durable.Program, made *durable.Made) (*durable.Event, error) {
	id := durable.StepID(k.CallID, made.N)
	if made.N == p.Failed || slices.Contains(p.Unmade, made.N) {
		return nil, nil
	}
	el, err := s.ended(ctx, k, id)
	if err != nil {
		return nil, err
	}
	unknown := slices.Contains(p.Unknown, id) || !slices.Contains(p.Unfinished, id)
	switch {
	case el == nil: // nothing is known of it any more
	case el.Status == protocol.StatusPending || el.ErrorType == tool.OutcomeUnknown:
		unknown = true
	case el.ErrorType == tool.Cancelled:
		unknown = false
	default:
		f := &flight{step: durable.Step{N: made.N, Tool: made.Tool}}
		f.end(&session{key: k}, el)
		f.event.NowMS = p.EndedMS
		return &f.event, nil
	}
	return nil, s.repeatable(ctx, k, p, made, id, unknown)
}

// ended returns the result of a call, which is cancelled if it has none; nil if nothing is known
// of it.
func (s *Service) ended(ctx context.Context, k programs.Key, callID string) (*element, error) {
	ctx = dispatch.WithAnswer(asProgram(ctx, k), dispatch.Answer{Inline: durable.MaxValue})
	data, err := s.calls.Cancel(ctx, k.Tenant, callID)
	if failed, ok := errors.AsType[*dispatch.Error](err); ok && failed.Kind == dispatch.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	el := new(element)
	return el, json.Unmarshal(data, el)
}
