package storm

import (
	"fmt"
	"time"

	"github.com/anishathalye/porcupine"
)

// operation is one operation on a call, with the times of its begin and end.
type operation struct {
	what        what
	answer      answer
	began, over int64 // nanoseconds
}

// what is the kind of an operation on a call.
type what uint8

const (
	execute what = iota
	get
	cancel
	effect // the tool acted
	crash  // a process was killed or stopped
)

// written is the sequential model's state of a call: a value that is written once.
type written struct {
	accepted bool
	acted    bool
	element  string // of the stored result; empty for none
	outcome  string
}

// String describes an operation, in milliseconds since the epoch.
func (o operation) String() string {
	text := fmt.Sprintf("%s %d to %d", [...]string{"execute", "get", "cancel", "effect", "fault"}[o.what], o.began/1e6, o.over/1e6)
	switch o.what {
	case effect:
		return text
	case crash:
		return text + " " + o.answer.outcome
	case execute, get, cancel:
	}
	return text + " " + o.answer.String()
}

// String describes an answer.
func (a answer) String() string {
	if a.state == done {
		return a.element
	}
	return [...]string{"no answer", "no such call", "refused", "pending"}[a.state]
}

// model returns the sequential model of a call. An answer of a completed call writes
// the value if there is none and must otherwise equal the value. The effect of an
// unanswered request shows in later answers, so it is not an operation of the history.
func model(tool string) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return written{} },
		Step: func(s, input, output any) (bool, any) {
			return s.(written).step(tool, input.(what), output.(answer))
		},
	}
}

func (w written) step(tool string, did what, told answer) (legal bool, next written) {
	switch {
	case did == crash || told.state == silent && did != effect:
		return true, w
	case did == effect:
		// A request that acts while another one already found no call is answered as
		// unknown, which does not mean that it did nothing.
		legal = !w.acted && (w.element == "" || w.outcome == "outcome_unknown")
		w.acted = true
		return legal, w
	case told.state == absent:
		return !w.accepted, w
	case told.state == refused: // a full dispatcher does not even check
		w.accepted = w.element != ""
		return true, w
	case told.state == pending:
		// calls.get reads the stored result; a request to execute is pending whenever its
		// wait ended first, as when the result cannot be read for that long.
		legal = did == execute || w.element == ""
		w.accepted = true
		return legal, w
	}
	if w.element != "" {
		return told.element == w.element, w
	}
	legal = tool != effectTool || w.acted == (told.outcome == "success") || told.outcome == "outcome_unknown"
	w.accepted, w.element, w.outcome = true, told.element, told.outcome
	return legal, w
}

// checkTimeout limits the search for an order of one history.
const checkTimeout = 20 * time.Second

// linear checks whether the operations on one call are possible for a value that is
// written once, in some order in which each happens between its begin and end. The result is
// unknown if that was not decided within limit.
func linear(tool string, ops []operation, limit time.Duration) porcupine.CheckResult {
	history := make([]porcupine.Operation, len(ops))
	for i, op := range ops {
		history[i] = porcupine.Operation{ClientId: i, Input: op.what, Output: op.answer, Call: op.began, Return: op.over}
	}
	return porcupine.CheckOperationsTimeout(model(tool), history, limit)
}
