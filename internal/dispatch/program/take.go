package program

import (
	"time"

	"github.com/go-json-experiment/json"

	"github.com/helve-dev/helve/internal/bus/events"
	"github.com/helve-dev/helve/internal/durable"
	"github.com/helve-dev/helve/tool"
)

// maxLines bounds what a program logs, in lines, and maxLine one of them, in bytes.
const (
	maxLines = 2000
	maxLine  = 4 << 10
)

// take takes up what the code has made since it saw the last events. What it made in earlier
// turns must be the same.
func (t *session) take(n *durable.Next) *tool.Error {
	for _, line := range n.Logs {
		t.log(line)
	}
	for i := range n.Sleeps {
		if refused := t.takeSleep(n.Sleeps[i]); refused != nil {
			return refused
		}
	}
	for i := range n.Steps {
		if refused := t.takeStep(&n.Steps[i]); refused != nil {
			return refused
		}
	}
	return nil
}

func (t *session) log(line durable.Log) {
	t.at++
	if t.at <= t.lines || t.at > maxLines {
		return
	}
	line.Message = line.Message[:min(len(line.Message), maxLine)]
	t.entry.Logs = append(t.entry.Logs, line)
	data, err := json.Marshal(line, lenient)
	if err == nil {
		t.svc.Queue.Events.Tell(events.AboutCall(t.program.CallFor(0)), "log", data)
	}
}

func (t *session) takeSleep(nap durable.Sleep) *tool.Error {
	t.naps++
	if nap.N != t.naps {
		return lost()
	}
	if nap.N <= len(t.sleeps) {
		if first := t.sleeps[nap.N-1]; first.UntilMS != nap.UntilMS {
			return diverged(nap.Line, "slept until another time")
		}
	} else {
		t.sleeps = append(t.sleeps, nap)
		t.entry.Sleeps = append(t.entry.Sleeps, nap)
	}
	if !t.slept[nap.N] {
		t.asleep[nap.N] = time.UnixMilli(nap.UntilMS)
	}
	return nil
}

func (t *session) takeStep(step *durable.Step) *tool.Error {
	t.steps++
	if step.N != t.steps {
		return lost()
	}
	hash := durable.Hash(step.Tool, step.Args)
	if step.N <= len(t.made) {
		if first := t.made[step.N-1]; first.Hash != hash {
			return diverged(step.Line, "called "+step.Tool+", or with other arguments, where it called "+first.Tool+" before")
		}
	} else {
		if step.N > durable.MaxSteps {
			return tool.Fail(tool.RateLimited,
				"the program has made %d calls, as many as it may; split the work over several programs", durable.MaxSteps)
		}
		made := durable.Made{N: step.N, Tool: step.Tool, Hash: hash, Line: step.Line, Name: step.Name, AtMS: time.Now().UnixMilli()}
		t.made = append(t.made, made)
		t.entry.Made = append(t.entry.Made, made)
	}
	if !t.seen[step.N] {
		t.open[step.N] = &flight{step: *step}
	}
	return nil
}

// lost is the refusal of a number that does not follow the one before: the sandbox is at fault.
func lost() *tool.Error {
	return tool.Fail(tool.ExecutionError, "the sandbox lost count of the program's calls")
}

// diverged is the end of a program whose code did something else than before.
func diverged(line int, how string) *tool.Error {
	return tool.Fail(tool.ExecutionError,
		"the program ran again and, in line %d, %s; nothing was called. What it calls may depend only on its input and its calls' results",
		line, how)
}
