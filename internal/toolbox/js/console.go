package js

import (
	"context"
	"time"

	"github.com/dop251/goja"

	"github.com/helve-dev/helve/internal/x/gopool"
)

// Limits of a script's log: bytes per line, lines per call, bytes per call.
const (
	journalLine  = 4 << 10
	journalLines = 200
	journalBytes = 64 << 10
)

var consoleNames = []string{"log", "info", "warn", "error", "debug"}

// console has the log functions. Arguments are written one after the other: strings
// unchanged, everything else in source form.
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

// journal sends lines to the host in order, while the script continues.
type journal struct {
	lines   chan LogLine // nil before the first line
	drained chan struct{}
	stop    context.CancelFunc
	count   int
	bytes   int
	full    bool
}

// log sends one line, or reports once that the rest is dropped.
func (r *realm) log(level, message string) {
	if r.full {
		return
	}
	lines, bytes := journalLines, journalBytes
	if r.program != nil {
		lines, bytes = programLines, programBytes
	} else if r.lines == nil {
		r.send()
	}
	j := &r.journal
	message = cut(message, journalLine)
	j.count++
	j.bytes += len(message)
	if j.count >= lines || j.bytes > bytes {
		j.full = true
		level, message = "warn", "the script logs too much; what follows is not shown"
	}
	line := LogLine{Level: level, Message: message}
	if r.program != nil {
		r.program.log(line)
		return
	}
	j.lines <- line
}

// send starts sending lines. The channel has room for all lines of a script, so log
// never blocks.
func (r *realm) send() {
	// The last lines before a timeout are needed most.
	ctx, stop := context.WithCancel(context.WithoutCancel(r.ctx))
	r.lines, r.drained, r.stop = make(chan LogLine, journalLines), make(chan struct{}), stop
	gopool.Go(func() {
		defer close(r.drained)
		for line := range r.lines {
			if raw, err := encode(OpLog, line); err == nil {
				_, _ = r.do(ctx, Request{Op: OpLog, Args: raw}) // a lost log line is not a failure of the script
			}
		}
	}, nil)
}

// flush waits a short time until the host has the lines.
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
