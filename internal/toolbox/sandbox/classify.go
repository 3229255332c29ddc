package sandbox

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/internal/toolbox/sandbox/child"
	"github.com/helve-dev/helve/internal/toolbox/sandbox/wire"
	"github.com/helve-dev/helve/tool"
)

const (
	// maxStderr bounds the bytes read of an ended child's standard error.
	maxStderr = 16 << 10
	// maxMessage bounds the bytes of a message that a child wrote.
	maxMessage = 4 << 10
)

// violation is the reason for ending a child that broke the protocol.
type violation struct{ error }

func (v violation) Unwrap() error { return v.error }

// outcome judges a child's report of a run. Nothing in it is trusted.
func (r *run) outcome(done wire.Done, l Limits) outcome {
	switch {
	case done.Error != nil:
		return outcome{err: &tool.Error{Kind: r.kind(done.Error.Kind), Msg: clip(done.Error.Message)}}
	case len(done.Value) == 0 || !utf8.Valid(done.Value):
		r.child.kill(violation{errors.New("a result that is no JSON")})
		return broken(errors.New("a result that is no JSON"))
	case len(done.Value) > l.Output:
		return outcome{
			err: tool.Fail(tool.ExecutionError, "the result has %d bytes, at most %d are allowed; return less", len(done.Value), l.Output),
		}
	}
	return outcome{value: done.Value}
}

// kind returns the kind of error that a child reported, if it can be true: a kind that
// scripts end with, or a kind that the host returned in this run.
func (r *run) kind(claimed tool.Kind) tool.Kind {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case claimed == tool.Internal:
		return tool.ExecutionError
	case claimed == tool.RateLimited && r.job.Durable != nil: // it made too many calls
		return claimed
	case claimed == tool.Timeout || claimed == tool.ValidationError || slices.Contains(r.kinds, claimed):
		return claimed
	}
	return tool.ExecutionError
}

// clip shortens a text that a child wrote.
func clip(message string) string { return textcut.Clip(message, maxMessage) }

// outcome returns the outcome of the run during which the child ended.
func (d *exit) outcome(l Limits) outcome {
	status, _ := d.sys()
	switch v := (violation{}); {
	case errors.Is(d.cause, errClosed):
		return outcome{err: tool.Fail(tool.Overloaded, "the sandbox is closing; try again").Because(d.cause)}
	case errors.As(d.cause, &v):
		return broken(v)
	case status.ExitStatus() == child.ExitMemory || strings.Contains(d.stderr, "out of memory") ||
		strings.Contains(d.stderr, "cannot allocate memory"):
		return outcome{
			err: tool.Fail(tool.ExecutionError, "the script used more than %d MB of memory", l.Memory>>20).Because(d.err()), reason: "memory",
		}
	case strings.Contains(d.stderr, "SIGXCPU"):
		return overdue(l.CPU, l)
	case strings.Contains(d.stderr, "stack overflow") || strings.Contains(d.stderr, "stack exceeds"):
		return outcome{err: tool.Fail(tool.ExecutionError, "the script is nested too deeply").Because(d.err()), reason: "crash"}
	case status.Signaled() && status.Signal() == syscall.SIGKILL:
		return broken(d.err()) // it closed its pipe and was killed for that
	}
	return outcome{err: tool.Fail(tool.ExecutionError, "the script crashed its sandbox").Because(d.err()), reason: "crash"}
}

// Reasons returns every reason for which a child is ended while it runs a script.
func Reasons() []string {
	return []string{"cancelled", "cpu", "crash", "memory", "protocol", "wall"}
}

func broken(cause error) outcome {
	return outcome{err: tool.Fail(tool.ExecutionError, "the sandbox ended before the script did").Because(cause), reason: "protocol"}
}

// overdue returns the outcome of a run that was stopped at a limit of time.
func overdue(used time.Duration, l Limits) outcome {
	if used >= l.CPU {
		return outcome{err: tool.Fail(tool.Timeout, "the script used more than %s of CPU time", l.CPU), reason: "cpu"}
	}
	return outcome{err: tool.Fail(tool.Timeout, "the script did not finish within %s", l.Wall), reason: "wall"}
}

func (d *exit) sys() (syscall.WaitStatus, bool) {
	if d.state == nil {
		return 0, false
	}
	status, ok := d.state.Sys().(syscall.WaitStatus)
	return status, ok
}

// err returns the cause of the child's end, for the log.
func (d *exit) err() error {
	text := strings.TrimSpace(d.stderr)
	if d.cause != nil {
		return fmt.Errorf("%w (%v, %q)", d.cause, d.state, text)
	}
	return fmt.Errorf("%v, %q", d.state, text)
}
