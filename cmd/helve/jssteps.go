package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/helve-dev/helve/internal/durable"
	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/tool"
)

// jsStep is a call that the code of a durable tool makes in a case, and its outcome.
type jsStep struct {
	Tool string `json:"tool"`
	// Arguments, if given, must be those of the call.
	Arguments json.RawMessage `json:"arguments"`
	Result    json.RawMessage `json:"result"`
	Error     *js.StepError   `json:"error"`
}

// check returns what is wrong with a step, or "".
func (s *jsStep) check() string {
	switch {
	case !tool.ValidName(s.Tool):
		return "tool is missing, or no name of one"
	case (s.Result == nil) == (s.Error == nil):
		return "give one of result and error"
	case s.Error != nil && s.Error.Type == "":
		return "error needs an error_type"
	}
	return ""
}

// jsSteps runs durable tools with the steps of a case in place of a server. It implements
// [tool.Durable] and [js.Host].
type jsSteps struct {
	console func(*tool.Call, js.LogLine)

	mu    sync.Mutex
	call  *tool.Call
	tools []string
	steps []jsStep
	used  []bool
	now   int64
	// problem is the first call that no step is for.
	problem string
}

// start is the time at which programs begin in tests.
var start = time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)

// Run implements [tool.Durable].
func (s *jsSteps) Run(ctx context.Context, call *tool.Call, code tool.DurableCode) (tool.Result, error) {
	program, err := js.CompileDurable(call.Tool+".js", code.Code, code.Args)
	if err != nil {
		return tool.Result{}, err
	}
	s.call, s.tools, s.used, s.now = call, code.Tools, make([]bool, len(s.steps)), start.UnixMilli()
	value, err := js.Run(ctx, &js.Task{
		Program: program, Args: code.Input, Host: s, Durable: &js.Durable{ID: call.ID, NowMS: s.now, Tool: code.Args},
	})
	if len(value) == 0 && err == nil {
		value = json.RawMessage("null")
	}
	return tool.Result{Value: value}, err
}

// Do implements [js.Host].
func (s *jsSteps) Do(_ context.Context, op js.Op, args json.RawMessage) (json.RawMessage, error) {
	var next js.NextRequest
	if op != js.OpNext {
		return nil, tool.Fail(tool.Unsupported, "a program reaches the outside through its steps only")
	}
	if err := json.Unmarshal(args, &next); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, line := range next.Logs {
		s.console(s.call, line)
	}
	answer := js.NextAnswer{Events: []js.Event{}}
	for _, nap := range next.Sleeps {
		s.now = max(s.now, nap.UntilMS)
		answer.Events = append(answer.Events, js.Event{Sleep: nap.N, NowMS: s.now})
	}
	for _, step := range next.Steps {
		answer.Events = append(answer.Events, s.outcome(step))
	}
	return json.Marshal(answer)
}

// outcome returns that of the first step of a case that is for a call and was not used.
func (s *jsSteps) outcome(made js.Step) js.Event {
	e := js.Event{Step: made.N, NowMS: s.now}
	fail := func(kind tool.Kind, format string, args ...any) js.Event {
		e.Error = &js.StepError{Type: string(kind), CallID: durable.StepID(s.call.ID, made.N), Message: fmt.Sprintf(format, args...)}
		return e
	}
	if !durable.Covers(s.tools, made.Tool) {
		return fail(tool.PermissionDenied, "the program may not call '%.64s': tools does not name it", made.Tool)
	}
	why := "steps has none of that tool left"
	for i := range s.steps {
		step := &s.steps[i]
		if s.used[i] || step.Tool != made.Tool {
			continue
		}
		if step.Arguments != nil && jsDiff(step.Arguments, made.Args) != "" {
			why = fmt.Sprintf("steps[%d] is for the arguments %.200s", i, plainLine(step.Arguments))
			break
		}
		s.used[i] = true
		if step.Error != nil {
			return fail(tool.Kind(step.Error.Type), "%s", step.Error.Message)
		}
		e.Value = step.Result
		return e
	}
	problem := fmt.Sprintf("line %d calls %s with %.200s, and %s", made.Line, made.Tool, plainLine(made.Args), why)
	if s.problem == "" {
		s.problem = problem
	}
	return fail(tool.ExecutionError, "%s", problem)
}

func plainLine(raw json.RawMessage) string {
	return strings.Join(strings.Fields(string(plain(raw))), " ")
}

// left returns why the steps of a case do not fit what the code has called, or "".
func (s *jsSteps) left() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.problem != "" {
		return s.problem
	}
	for i, used := range s.used {
		if !used {
			return fmt.Sprintf("steps[%d], of %s, was not made", i, s.steps[i].Tool)
		}
	}
	return ""
}
