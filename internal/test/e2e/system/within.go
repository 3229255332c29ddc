package system

import (
	"bytes"
	"fmt"
	"runtime/pprof"
	"strings"
	"time"
)

// label is the key of the profiler label that the goroutines of a process have.
const label = "process"

// lateError is the error of a function that has not returned in time.
type lateError struct {
	what   string
	limit  time.Duration
	stacks string // of the goroutines with the label what
}

// Error implements error.
func (e *lateError) Error() string {
	return fmt.Sprintf("waited in vain for %s, %v; its goroutines:\n%s", e.what, e.limit, e.stacks)
}

// within runs f and returns its error, or a lateError with the goroutines of the process
// what if f has not returned within limit. It leaves f running then.
func within(limit time.Duration, what string, f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	end := time.NewTimer(limit)
	defer end.Stop()
	select {
	case err := <-done:
		return err
	case <-end.C:
		return &lateError{what, limit, stacks(what)}
	}
}

// stacks returns the stacks of the goroutines of one process, equal ones once.
func stacks(process string) string {
	var all bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&all, 1); err != nil {
		return err.Error()
	}
	var own strings.Builder
	for stack := range strings.SplitSeq(all.String(), "\n\n") {
		if strings.Contains(stack, fmt.Sprintf("%q:%q", label, process)) {
			own.WriteString(stack + "\n\n")
		}
	}
	return own.String()
}
