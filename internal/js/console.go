package js

import (
	"context"
	"time"

	"github.com/dop251/goja"
)

// What a script may log: bytes a line, lines a call, bytes a call.
const (
	journalLine  = 4 << 10
	journalLines = 200
	journalBytes = 64 << 10
)

var consoleNames = []string{"log", "info", "warn", "error", "debug"}

// console has the functions that log. Arguments are written one behind the
// other: strings as they are, everything else as code would write it.
func (r *realm) console() goja.Value {
	return r.vm.NewDynamicObject(&lazy{names: consoleNames, make: func(name string) goja.Value {
		level := name
		switch name {
		case "log":
			level = "info"
		case "info", "warn", "error", "debug":
		default:
			return nil
		}
		return r.function(name, func(call goja.FunctionCall) goja.Value {
			if !r.full {
				r.log(level, r.inspect(journalLine, call.Arguments...))
			}
			return goja.Undefined()
		})
	}})
}

// journal sends lines to the host in order, while the script goes on.
type journal struct {
	lines   chan LogLine // nil before the first line
	drained chan struct{}
	stop    context.CancelFunc
	count   int
	bytes   int
	full    bool
}

// log sends one line, or says once that the rest is dropped.
func (r *realm) log(level, message string) {
	if r.full {
		return
	}
	if r.lines == nil {
		r.send()
	}
	j := &r.journal
	message = cut(message, journalLine)
	j.count++
	j.bytes += len(message)
	if j.count >= journalLines || j.bytes > journalBytes {
		j.full = true
		level, message = "warn", "the script logs too much; what follows is not shown"
	}
	j.lines <- LogLine{Level: level, Message: message}
}

// send begins to send lines. The channel holds all that a script may log, so
// that log never waits.
func (r *realm) send() {
	// The last lines before a time-out are those that are needed most.
	ctx, stop := context.WithCancel(context.WithoutCancel(r.ctx))
	r.lines, r.drained, r.stop = make(chan LogLine, journalLines), make(chan struct{}), stop
	go func() {
		defer close(r.drained)
		for line := range r.lines {
			if raw, err := encode(OpLog, line); err == nil {
				_, _ = r.do(ctx, OpLog, raw) // a log that is lost is not the script's failure
			}
		}
	}()
}

// flush waits until the host has the lines, but not long.
func (j *journal) flush() {
	if j.lines == nil {
		return
	}
	close(j.lines)
	patience := time.AfterFunc(time.Second, j.stop)
	<-j.drained
	patience.Stop()
	j.stop()
}
