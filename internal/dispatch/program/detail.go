package program

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/helve-dev/helve/internal/bus/programs"
	"github.com/helve-dev/helve/internal/consent/preview"
	"github.com/helve-dev/helve/internal/durable"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// ErrUnknown means that a program is not stored.
var ErrUnknown = errors.New("no program with this call_id is stored")

// logMost bounds the log of a detail, in bytes: the newest lines are shown.
const logMost = 256 << 10

// Detail returns a program with its steps and its log, if permit allows that. Its input is as it
// was given, so the caller of Detail must make it safe to show.
func (s *Service) Detail(
	ctx context.Context, tenant, callID string, permit func(*protocol.Program, string) error,
) (protocol.ProgramDetail, error) {
	key := programs.Key{Tenant: tenant, CallID: callID}
	p, _, err := s.Store.Read(ctx, key)
	if err == nil && p == nil {
		err = ErrUnknown
	}
	if err != nil {
		return protocol.ProgramDetail{}, err
	}
	k := knownOf(key, p)
	d := protocol.ProgramDetail{Program: k.shown()}
	if err := permit(&d.Program, p.Call.Conversation); err != nil {
		return protocol.ProgramDetail{}, err
	}
	if k.state == durable.Queued {
		d.State = s.held(ctx, k)
	}
	d.Code, d.Input = source(p)
	if p.Saved != nil {
		d.Version, d.Tools = p.Saved.Definition.Version, p.Saved.Definition.Tools
	}
	t := told{program: p, key: key}
	if _, err := s.Store.Journal(ctx, key, p, t.add); err != nil {
		return protocol.ProgramDetail{}, err
	}
	d.Steps, d.Program.Steps = t.end(), len(t.steps)
	d.Sleeps, d.Log, d.LogLeftOut = t.sleeps, t.log, t.leftOut
	return d, nil
}

// source returns the code of a program and its input; of a durable tool, the code that it began with
// and its arguments.
func source(p *durable.Program) (code string, input json.RawMessage) {
	name, args := given(p.Call)
	if name != RunProgram {
		if p.Saved != nil {
			code = p.Saved.Code
		}
		return code, args
	}
	var a struct {
		Code  string          `json:"code"`
		Input json.RawMessage `json:"input"`
	}
	if json.Unmarshal(args, &a) != nil {
		return "", nil // its worker refuses it
	}
	return a.Code, a.Input
}

// told is the story of a program, from the entries of its journal.
type told struct {
	program *durable.Program
	key     programs.Key
	steps   []protocol.ProgramStep
	sleeps  []protocol.ProgramSleep
	log     []protocol.ProgramLog
	leftOut int
	size    int // of the log
}

func (t *told) add(e *durable.Entry) error {
	for i := range e.Made {
		m := &e.Made[i]
		t.steps = append(t.steps, protocol.ProgramStep{
			N: m.N, CallID: cmp.Or(m.CallID, durable.StepID(t.key.CallID, m.N)), Tool: m.Tool, Line: m.Line, Name: m.Name,
			State:     protocol.StateRunning,
			StartedAt: time.UnixMilli(m.AtMS).UTC(),
		})
	}
	for _, s := range e.Sleeps {
		t.sleeps = append(t.sleeps, protocol.ProgramSleep{
			N: s.N, Line: s.Line, StartedAt: time.UnixMilli(e.AtMS).UTC(), Until: time.UnixMilli(s.UntilMS).UTC(),
		})
	}
	for i := range e.Events {
		t.ended(&e.Events[i], e.AtMS)
	}
	for _, line := range e.Logs {
		text := preview.Hide(line.Message)
		t.log = append(t.log, protocol.ProgramLog{At: time.UnixMilli(e.AtMS).UTC(), Level: line.Level, Message: text})
		for t.size += len(text); t.size > logMost && len(t.log) > 1; t.leftOut++ {
			t.size -= len(t.log[0].Message)
			t.log = t.log[1:]
		}
	}
	return nil
}

// ended notes the outcome of a step, or the end of a sleep.
func (t *told) ended(event *durable.Event, at int64) {
	when := time.UnixMilli(at).UTC()
	if n := event.Sleep; n > 0 && n <= len(t.sleeps) {
		t.sleeps[n-1].EndedAt = &when
	}
	if event.Step < 1 || event.Step > len(t.steps) {
		return
	}
	step := &t.steps[event.Step-1]
	step.State, step.Status, step.EndedAt = protocol.StateDone, protocol.StatusSuccess, &when
	if event.Error != nil {
		step.Status, step.ErrorType = protocol.StatusError, event.Error.Type
	}
}

// end returns the steps as they are now. The end of a program is that of the steps that it did
// not await.
func (t *told) end() []protocol.ProgramStep {
	for i := range t.steps {
		step := &t.steps[i]
		if t.program.State != durable.Done || step.State == protocol.StateDone {
			continue
		}
		step.State = protocol.StateDone
		switch {
		case slices.Contains(t.program.Unknown, step.CallID):
			step.Status, step.ErrorType = protocol.StatusError, tool.OutcomeUnknown
		case slices.Contains(t.program.Unfinished, step.CallID):
			step.Status, step.ErrorType = protocol.StatusError, tool.Cancelled
		}
	}
	return t.steps
}
