package sandbox

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/helve-dev/helve/internal/sandbox/inside"
	"github.com/helve-dev/helve/internal/sandbox/wire"
	"github.com/helve-dev/helve/tool"
)

const (
	// maxStderr is how much of a dead child's last words is read.
	maxStderr = 16 << 10
	// maxMessage is the most bytes of a message that a child wrote.
	maxMessage = 4 << 10
)

// violation is why a child was ended that broke the protocol.
type violation struct{ error }

func (v violation) Unwrap() error { return v.error }

// outcome judges what a child says of a run. Nothing in it is trusted.
func (r *run) outcome(done wire.Done, l Limits) outcome {
	switch {
	case done.Error != nil:
		return outcome{err: &tool.Error{Kind: r.kind(done.Error.Kind), Msg: clip(done.Error.Message)}}
	case len(done.Value) == 0 || !utf8.Valid(done.Value):
		r.child.kill(violation{errors.New("a result that is no JSON")})
		return broken(errors.New("a result that is no JSON"))
	case len(done.Value) > l.Output:
		return outcome{err: tool.Fail(tool.ExecutionError, "the result has %d bytes, at most %d are allowed; return less", len(done.Value), l.Output)}
	}
	return outcome{value: done.Value}
}

// kind is the kind of error that a child claims, if it can be true: what scripts
// end with, or what the host answered in this run.
func (r *run) kind(claimed tool.Kind) tool.Kind {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case claimed == tool.Internal:
		return tool.ExecutionError
	case claimed == tool.Timeout || claimed == tool.ValidationError || slices.Contains(r.kinds, claimed):
		return claimed
	}
	return tool.ExecutionError
}

// clip bounds what a child wrote.
func clip(message string) string {
	if len(message) <= maxMessage {
		return message
	}
	return strings.ToValidUTF8(message[:maxMessage], "") + "…"
}

// outcome is that of the run during which the child died.
func (d *death) outcome(l Limits) outcome {
	status, _ := d.sys()
	switch v := (violation{}); {
	case errors.Is(d.cause, errClosed):
		return outcome{err: tool.Fail(tool.Overloaded, "the sandbox is closing; try again").Because(d.cause)}
	case errors.As(d.cause, &v):
		return broken(v)
	case status.ExitStatus() == inside.ExitMemory || strings.Contains(d.stderr, "out of memory") || strings.Contains(d.stderr, "cannot allocate memory"):
		return outcome{err: tool.Fail(tool.ExecutionError, "the script used more than %d MB of memory", l.Memory>>20).Because(d.err()), reason: "memory"}
	case strings.Contains(d.stderr, "SIGXCPU"):
		return overdue(l.CPU, l)
	case strings.Contains(d.stderr, "stack overflow") || strings.Contains(d.stderr, "stack exceeds"):
		return outcome{err: tool.Fail(tool.ExecutionError, "the script is nested too deeply").Because(d.err()), reason: "crash"}
	case status.Signaled() && status.Signal() == syscall.SIGKILL:
		return broken(d.err()) // it closed its socket and was killed for it
	}
	return outcome{err: tool.Fail(tool.ExecutionError, "the script crashed its sandbox").Because(d.err()), reason: "crash"}
}

func broken(cause error) outcome {
	return outcome{err: tool.Fail(tool.ExecutionError, "the sandbox ended before the script did").Because(cause), reason: "protocol"}
}

// overdue is the outcome of a run that was stopped at one of its times.
func overdue(used time.Duration, l Limits) outcome {
	if used >= l.CPU {
		return outcome{err: tool.Fail(tool.Timeout, "the script used more than %s of CPU time", l.CPU), reason: "cpu"}
	}
	return outcome{err: tool.Fail(tool.Timeout, "the script did not finish within %s", l.Wall), reason: "wall"}
}

func (d *death) sys() (syscall.WaitStatus, bool) {
	if d.state == nil {
		return 0, false
	}
	status, ok := d.state.Sys().(syscall.WaitStatus)
	return status, ok
}

// err says for the log how the child died.
func (d *death) err() error {
	text := strings.TrimSpace(d.stderr)
	if d.cause != nil {
		return fmt.Errorf("%w (%v, %q)", d.cause, d.state, text)
	}
	return fmt.Errorf("%v, %q", d.state, text)
}
