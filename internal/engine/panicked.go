package engine

import (
	"fmt"
	"runtime/debug"
)

// PanicError is the cause of a failure that was a panic, of a tool or of the pipeline.
// Its value and stack may hold anything, so they are for the operator's log only.
type PanicError struct {
	Value any
	// Stack is that of the goroutine that panicked, as [debug.Stack] writes it.
	Stack []byte
}

// Error returns the value that was passed to panic.
func (p *PanicError) Error() string { return fmt.Sprintf("panic: %v", p.Value) }

// panicked returns the error of a panic. Call it in the deferred function that recovers.
func panicked(value any) *PanicError { return &PanicError{value, debug.Stack()} }
