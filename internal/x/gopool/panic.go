package gopool

import (
	"fmt"
	"os"
	"runtime/debug"
)

// Panic is a panic of a function, as an error. Its value may hold anything, so it is for
// the log only, and no answer to a stranger.
type Panic struct {
	Value any
	Stack []byte
}

// Error implements [error].
func (p *Panic) Error() string { return fmt.Sprintf("panic: %v\n%s", p.Value, p.Stack) }

// newPanic returns a recovered value with the stack below it. The panic of a goroutine
// that another one waited for keeps its own stack.
func newPanic(v any) *Panic {
	if p, ok := v.(*Panic); ok {
		return p
	}
	return &Panic{v, debug.Stack()}
}

// Catch returns the error of f, or its panic as a [*Panic].
func Catch(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = newPanic(v)
		}
	}()
	return f()
}

// Go runs f on a goroutine of its own, and reports its panic to panicked; without that it
// is written to the standard error.
func Go(f func(), panicked func(*Panic)) {
	go func() {
		defer func() {
			if v := recover(); v != nil {
				report(panicked, newPanic(v))
			}
		}()
		f()
	}()
}

func report(panicked func(*Panic), p *Panic) {
	if panicked == nil {
		fmt.Fprintln(os.Stderr, p.Error())
		return
	}
	panicked(p)
}
