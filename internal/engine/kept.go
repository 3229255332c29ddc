package engine

import (
	"context"
	"fmt"
)

// runProgram is the tool whose code is in its arguments: no program of it began with another one.
const runProgram = "run_program"

// kept finds the durable tool with which the program of a job began. Only a call that was
// delivered before, or queued again, can have begun.
func (e *Engine) kept(ctx context.Context, j *Job) error {
	if e.deps.Kept == nil || j.Key == "" || j.Name == runProgram || j.Wake == 0 && !j.Redelivered {
		return nil
	}
	entry, err := e.deps.Kept(ctx, j)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRetry, err)
	}
	j.kept = entry
	return nil
}

// Begun reports whether the job is the program of a durable tool that has begun: it was allowed
// when it began.
func (j *Job) Begun() bool { return j.kept != nil && j.entry == j.kept }

// acts reports whether the call itself changes something: a program does so by its steps only,
// which have fences of their own.
func (j *Job) acts() bool { return j.invocation.Mutates && !j.entry.Tool.Durable }
