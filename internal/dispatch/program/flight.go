package program

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/internal/durable"
	"github.com/helve-dev/helve/internal/policy"
	"github.com/helve-dev/helve/internal/x/failpoint"
	"github.com/helve-dev/helve/internal/x/gopool"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

const (
	// joinWait is the least time for which a request waits that joins a step: a step that was
	// accepted and is not queued is queued within it, because its dispatcher may have died.
	joinWait = 3 * time.Second
	// laterWait is that of the requests after the first.
	laterWait = 20 * time.Second
	// flightPause and flightPauseMost bound the pause before a step is made again that found no
	// room.
	flightPause     = 100 * time.Millisecond
	flightPauseMost = 10 * time.Second
)

// flight is a step that has no outcome yet. Only its goroutine writes to it while it flies, and
// only the session before and after.
type flight struct {
	step   durable.Step
	flying bool
	// fresh is set if the step was certainly not made before.
	fresh bool
	// old is set if nothing may be known of the step any more.
	old bool
	// accepted is closed once the step is known to be accepted.
	accepted chan struct{}
	// parked receives the consent that the step awaits, once.
	parked chan string
	// consent is that, as far as the session knows.
	consent string
	event   durable.Event
	refused *tool.Error // the program must end
}

// launch makes calls of the steps that were made, as many as may run.
func (t *session) launch() {
	running := 0
	var ready []*flight
	for _, f := range t.open {
		if f.flying {
			running++
		} else {
			ready = append(ready, f)
		}
	}
	slices.SortFunc(ready, func(a, b *flight) int { return cmp.Compare(a.step.N, b.step.N) })
	for _, f := range ready[:min(len(ready), durable.MaxRunning-running)] {
		n := f.step.N
		f.flying, f.fresh, f.parked, f.accepted = true, t.isNew(n), make(chan string, 1), make(chan struct{})
		f.old = !f.fresh && t.old(n)
		if name := beyond(t.program.Within, &f.step); name != "" {
			f.fail(t, tool.Fail(tool.PermissionDenied, "the program may not call '%.64s': tools does not name it", name))
			t.landed <- f
			continue
		}
		gopool.Go(func() { t.fly(f) }, nil)
	}
}

// isNew reports whether a step was certainly not made before, by a turn that was cut off.
func (t *session) isNew(n int) bool {
	return t.fresh && n > t.journaled || t.known > 0 && n > t.known
}

// fly makes one step and waits for its outcome.
func (t *session) fly(f *flight) {
	a := attempt{fresh: f.fresh, wait: max(t.svc.Hot, joinWait)}
	if a.fresh {
		a.wait = t.svc.Hot
	}
	for pause := flightPause; t.life.Err() == nil; a.fresh = false {
		el, err := t.makeKnown(f, a)
		if err == nil && !el.again() && !a.accepted {
			a.accepted, a.wait = true, laterWait
			close(f.accepted)
		}
		switch {
		case err != nil || el.again():
			rest(t.life, pause)
			pause = min(2*pause, flightPauseMost)
		case el.Status == protocol.StatusPending && el.ConsentID != "":
			select {
			case f.parked <- el.ConsentID:
			default:
			}
			a.asked = true
			t.tell()
		case el.Status == protocol.StatusPending:
			t.tell()
		default:
			f.end(t, el)
			select {
			case t.landed <- f:
			case <-t.life.Done():
			}
			return
		}
	}
}

// tell has the session look again.
func (t *session) tell() {
	select {
	case t.news <- struct{}{}:
	default:
	}
}

func rest(ctx context.Context, d time.Duration) {
	pause := time.NewTimer(d)
	defer pause.Stop()
	select {
	case <-ctx.Done():
	case <-pause.C:
	}
}

// element is the part of a step's result that a program needs.
type element struct {
	Status    string         `json:"status"`
	ConsentID string         `json:"consent_id"`
	Result    jsontext.Value `json:"result"`
	ResultRef *struct {
		Size int64 `json:"size"`
	} `json:"result_ref"`
	ErrorType tool.Kind `json:"error_type"`
	Message   string    `json:"message"`
	Attempt   int       `json:"attempt"`
}

// again reports whether the step was not accepted, and is to be made again.
func (e *element) again() bool {
	return e.Status == protocol.StatusError && e.Attempt == 0 && (e.ErrorType == tool.Overloaded || e.ErrorType == tool.Internal)
}

// attempt is one request for a step.
type attempt struct {
	// fresh is set if the step was certainly not made before, accepted if it was by an earlier
	// request of the turn, asked if it is with a person.
	fresh, accepted, asked bool
	wait                   time.Duration
}

// makeKnown is make for a step that may be old. The element of a step that is not known is a failure.
func (t *session) makeKnown(f *flight, a attempt) (*element, error) {
	if f.old && !a.accepted {
		if unknown, err := t.forgotten(t.life, f); unknown != nil || err != nil {
			return unknown, err
		}
	}
	return t.make(f, a)
}

// make makes the call of a step, or joins it.
func (t *session) make(f *flight, a attempt) (*element, error) {
	if err := failpoint.Hit(failpoint.ProgramBeforeStep); err != nil {
		return nil, err
	}
	c, id := t.program.Call, durable.StepID(t.key.CallID, f.step.N)
	req := dispatch.Request{
		Tenant: t.key.Tenant, User: c.User, Agent: c.Agent, Conversation: c.Conversation, Timezone: c.Timezone, TraceID: c.TraceID,
		Traceparent: t.program.Traceparent, Via: string(policy.Program), Wait: a.wait, ConsentWait: a.asked,
		Calls: []dispatch.Call{{Fresh: a.fresh, Call: call.Call{
			ID: id, Tool: f.step.Tool, Arguments: f.step.Args, Parent: t.key.CallID, Line: f.step.Line, Step: f.step.Name, Waits: true,
			Priority: c.Priority, Runs: t.runs, ConfirmToken: t.svc.tokenFor(t.key, &f.step),
		}}},
	}
	ctx := t.life
	if !a.accepted { // it goes on when the session ends: a step that is accepted must be queued
		ctx = context.WithoutCancel(ctx)
	}
	ctx = dispatch.WithAnswer(asProgram(ctx, t.key), dispatch.Answer{Inline: durable.MaxValue})
	res, err := t.svc.calls.Execute(ctx, req)
	if err != nil {
		return nil, err
	}
	if err := failpoint.Hit(failpoint.ProgramAfterStep); err != nil {
		return nil, err
	}
	el := new(element)
	return el, json.Unmarshal(res.Results[0], el, lenient, jsontext.AllowDuplicateNames(true))
}

// end sets the event of a step from its result.
func (f *flight) end(t *session, el *element) {
	switch {
	case el.Status == protocol.StatusSuccess && el.ResultRef != nil:
		f.fail(t, tool.Fail(tool.ExecutionError, "the result of '%s' has %d bytes, more than the %d MiB that a program can hold; ask for less",
			f.step.Tool, el.ResultRef.Size, durable.MaxValue>>20))
	case el.Status == protocol.StatusSuccess:
		f.event = durable.Event{Step: f.step.N, Value: el.Result}
	case el.ErrorType == tool.ValidationError && el.Message == dispatch.Reused(durable.StepID(t.key.CallID, f.step.N)).Msg:
		f.refused = diverged(f.step.Line, "called "+f.step.Tool+" with other arguments, or another tool")
	default:
		f.fail(t, &tool.Error{Kind: el.ErrorType, Msg: el.Message})
	}
}

func (f *flight) fail(t *session, err *tool.Error) {
	f.event = durable.Event{Step: f.step.N, Error: &durable.StepError{
		Type: err.Kind, CallID: durable.StepID(t.key.CallID, f.step.N), Message: err.Msg,
	}}
}

// land takes the outcome of a step. It returns why the program must end, if it must.
func (t *session) land(f *flight) *tool.Error {
	if f.refused != nil {
		return f.refused
	}
	delete(t.open, f.step.N)
	t.seen[f.step.N] = true
	t.waiting = append(t.waiting, f.event)
	t.launch() // there is room for one more
	return nil
}

// arrived returns what has come that the code has not seen, in the order in which it came.
func (t *session) arrived() []durable.Event {
	for more := true; more; {
		select {
		case f := <-t.landed:
			if refused := t.land(f); refused != nil {
				t.landed <- f // the next look ends the program
				more = false
			}
		default:
			more = false
		}
	}
	now := t.clock()
	for _, n := range sortedKeys(t.asleep) {
		if !t.asleep[n].After(now) {
			delete(t.asleep, n)
			t.slept[n] = true
			t.waiting = append(t.waiting, durable.Event{Sleep: n})
		}
	}
	n := fitting(t.waiting)
	events := t.waiting[:n:n]
	t.waiting = t.waiting[n:]
	return events
}
