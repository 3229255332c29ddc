package program

import (
	"context"
	"errors"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/bus/programs"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/durable"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/x/gopool"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

const (
	// leftTime is the time in which a step that nobody awaits may end by itself.
	leftTime = 10 * time.Second
	// cutTime bounds how long the end of a program waits for the ends of its steps.
	cutTime = 15 * time.Second
	// maxKept bounds the result that is kept beside a program, in bytes.
	maxKept = 64 << 10
)

// endOf returns the end of a program that has ended.
func endOf(p *durable.Program) *peer.ProgramEnd {
	return &peer.ProgramEnd{
		Result: []byte(p.Result), ErrorType: string(p.ErrorType), Message: p.Message, Unfinished: p.Unfinished, Unknown: p.Unknown,
	}
}

// end ends the program as its code has ended. The steps that are left end first.
func (t *session) end(ctx context.Context, end *peer.ProgramEnd) (peer.ProgramAnswer, error) {
	if end == nil {
		return again(), errors.New("a turn was closed without an end")
	}
	if t.program.State == durable.Done {
		return peer.ProgramAnswer{End: end}, nil
	}
	left := make([]int, 0, len(t.open))
	for _, n := range sortedKeys(t.open) {
		if t.open[n].flying || n <= t.journaled {
			left = append(left, n)
		} else {
			t.program.Unmade = append(t.program.Unmade, n)
		}
	}
	if end.ErrorType != string(tool.Cancelled) && end.ErrorType != string(tool.Timeout) {
		left = t.linger(ctx, left)
	}
	t.stop() // of the flights
	end.Unfinished, end.Unknown = t.svc.cut(ctx, t.key, left)
	if e := &t.entry; len(e.Made)+len(e.Logs) > 0 {
		if err := t.append(ctx); err != nil {
			return again(), err
		}
	}
	p := t.program
	p.Result = nil
	if len(end.Result) <= maxKept {
		p.Result = []byte(end.Result)
	}
	p.Failed = t.failed
	finish(p, tool.Kind(end.ErrorType), end.Message, end.Unfinished, end.Unknown)
	if err := t.svc.Store.End(ctx, t.key, p, t.revision); err != nil {
		return again(), err
	}
	t.svc.count(telemetry.ProgramTurns, 1, turnEnded)
	return peer.ProgramAnswer{End: end}, nil
}

// finish sets the end of a program.
func finish(p *durable.Program, kind tool.Kind, message string, unfinished, unknown []string) {
	p.State, p.Waits, p.EndedMS = durable.Done, nil, time.Now().UnixMilli()
	p.Status, p.ErrorType, p.Message, p.Unfinished, p.Unknown = protocol.StatusSuccess, kind, message, unfinished, unknown
	if kind != "" {
		p.Status = protocol.StatusError
	}
}

// linger waits for the steps that have begun, for a time, and returns those that have not ended.
// A step that is with a person has not begun.
func (t *session) linger(ctx context.Context, left []int) []int {
	ctx, cancel := context.WithTimeout(ctx, leftTime)
	defer cancel()
	for {
		t.still(time.Now()) // takes up which steps are with a person
		var running []int
		for _, n := range left {
			if f := t.open[n]; f != nil && f.flying && f.consent == "" {
				running = append(running, n)
			}
		}
		if len(running) == 0 {
			break
		}
		select {
		case f := <-t.landed:
			delete(t.open, f.step.N)
			continue
		case <-ctx.Done():
		}
		break
	}
	var still []int
	for _, n := range left {
		if t.open[n] != nil {
			still = append(still, n)
		}
	}
	return still
}

// asProgram returns a context in which a program makes and ends its own steps, whosever they are.
func asProgram(ctx context.Context, k programs.Key) context.Context {
	return identity.With(ctx, identity.Principal{Tenant: k.Tenant, Name: "program " + k.CallID, Open: true})
}

// cut cancels steps, and returns those that did not end by themselves, and those of them whose
// outcome is not known.
func (s *Service) cut(ctx context.Context, k programs.Key, steps []int) (unfinished, unknown []string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cutTime)
	defer cancel()
	ctx = asProgram(ctx, k)
	kinds := make([]tool.Kind, len(steps))
	var all gopool.Group
	for i, n := range steps {
		all.Go(func() {
			el := element{Status: protocol.StatusPending}
			if data, err := s.calls.Cancel(ctx, k.Tenant, durable.StepID(k.CallID, n)); err == nil {
				_ = json.Unmarshal(data, &el, lenient)
			}
			switch {
			case el.Status == protocol.StatusPending:
				kinds[i] = tool.OutcomeUnknown
			case el.ErrorType == tool.Cancelled || el.ErrorType == tool.OutcomeUnknown:
				kinds[i] = el.ErrorType
			}
		})
	}
	all.Wait()
	for i, n := range steps {
		id := durable.StepID(k.CallID, n)
		if kinds[i] != "" {
			unfinished = append(unfinished, id)
		}
		if kinds[i] == tool.OutcomeUnknown {
			unknown = append(unknown, id)
		}
	}
	return unfinished, unknown
}

func cancelled() *tool.Error { return tool.Fail(tool.Cancelled, "the program was cancelled") }

// Cancel implements [dispatch.Programs]. A program that is marked as cancelled has no further
// turn.
func (s *Service) Cancel(ctx context.Context, tenant, callID, by string) (ended bool, err error) {
	k := programs.Key{Tenant: tenant, CallID: callID}
	if s.index.get(k) == nil {
		return false, nil
	}
	for {
		p, revision, err := s.Store.Read(ctx, k)
		if p == nil || err != nil || p.State == durable.Done {
			return false, err
		}
		if p.State == durable.Queued { // a worker that has a waiting program is about to release it
			if held := s.Queue.Owners.Find(ctx, tenant, callID); held != nil && held.State == protocol.StateRunning {
				return false, nil // its worker ends it
			}
		}
		p.Cancelled, p.CancelledBy = true, by
		err = s.Store.Change(ctx, k, p, revision)
		if errors.Is(err, natsio.ErrExists) {
			continue
		}
		if err != nil {
			return false, err
		}
		return true, s.conclude(ctx, k)
	}
}

// conclude ends a cancelled program that no worker runs: its steps, its call, then the program.
func (s *Service) conclude(ctx context.Context, k programs.Key) error {
	p, revision, err := s.Store.Read(ctx, k)
	if p == nil || err != nil || p.State == durable.Done || !p.Cancelled {
		return err
	}
	open, err := s.closeJournal(ctx, k, p)
	if err != nil {
		return err
	}
	unfinished, unknown := s.cut(ctx, k, open)
	reason := whyEnded(p)
	c := p.CallFor(p.Wake)
	el := call.Failed(c.ID, c.ToolCallID, c.TraceID, c.Tool, c.Owner(), reason)
	el.Origin = c.Via
	el.Metadata = map[string]any{"unfinished": orNone(unfinished), "unknown": orNone(unknown)}
	data, err := call.EncodeResult(&el)
	if err != nil {
		return err
	}
	err = s.Trail.End(ctx, c.Pool, c.Origin, data, endedRecord(p, reason))
	if err != nil && !errors.Is(err, natsio.ErrExists) {
		return err
	}
	finish(p, reason.Kind, reason.Msg, unfinished, unknown)
	err = s.Store.End(ctx, k, p, revision)
	if !errors.Is(err, natsio.ErrExists) {
		return err
	}
	// Another process was quicker, and may have removed the program since: what was appended here
	// goes after it.
	if p, _, err = s.Store.Read(ctx, k); p != nil || err != nil {
		return err
	}
	return s.Store.RemoveJournal(ctx, k)
}

// closeJournal appends a last entry, so that a turn which has begun meanwhile is overtaken, and
// returns the steps without an outcome.
func (s *Service) closeJournal(ctx context.Context, k programs.Key, p *durable.Program) (open []int, err error) {
	for {
		made := map[int]bool{}
		last, err := s.Store.Journal(ctx, k, p, func(e *durable.Entry) error {
			for _, m := range e.Made {
				made[m.N] = true
			}
			for _, event := range e.Events {
				delete(made, event.Step)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		_, _, err = s.Store.Append(ctx, k, p, &durable.Entry{AtMS: time.Now().UnixMilli()}, last)
		if errors.Is(err, natsio.ErrExists) {
			continue
		}
		return sortedKeys(made), err
	}
}

func orNone(ids []string) []string {
	if ids == nil {
		return []string{}
	}
	return ids
}

// endedRecord returns the final record of a program that ended while it waited.
func endedRecord(p *durable.Program, reason *tool.Error) *protocol.AuditRecord {
	c, now, accepted := p.Call, time.Now(), time.UnixMilli(p.StartedMS)
	phase := protocol.AuditCancelled
	if p.Lost {
		phase = protocol.AuditFinished
	}
	return &protocol.AuditRecord{
		ID:    "f-" + c.ID + "-0",
		Phase: phase, TraceID: c.TraceID, CallID: c.ID, Tenant: p.Tenant, User: c.User, Agent: c.Agent,
		Conversation: c.Conversation, By: p.CancelledBy, Tool: c.Tool, AcceptedAt: &accepted, EndedAt: &now, Origin: c.Via,
		Decision: &protocol.AuditDecision{Outcome: protocol.OutcomeAllowed, Reason: reason.Msg},
		Result:   &protocol.AuditResult{Status: protocol.StatusError, ErrorType: string(reason.Kind), Summary: reason.Msg},
	}
}
