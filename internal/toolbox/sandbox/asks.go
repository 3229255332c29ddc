package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/sandbox/wire"
	"github.com/helve-dev/helve/internal/x/gopool"
	"github.com/helve-dev/helve/tool"
)

// Bounds of the requests of a run. A child's own bounds are lower; these also hold for a
// child that breaks the protocol.
const (
	atOnce    = 16       // concurrent requests of a run
	mostAsks  = 256      // waiting or running
	askBytes  = 16 << 20 // of all those requests
	mostLines = 1000     // log lines of a run; the rest is dropped
)

// run is one job that a child serves.
type run struct {
	id    uint64
	ctx   context.Context
	job   *Job
	child *childProcess

	watch *watch

	lines int  // used by the reading goroutine only
	steps int  // the last number of a step; used as lines
	sleep int  // the last number of a sleep; used as lines
	used  bool // there was a request; used as lines

	mu    sync.Mutex
	turns chan struct{}
	asks  int
	bytes int
	nexts bool        // a request of a program is being answered
	kinds []tool.Kind // that the host returned
}

// ask starts the host's work for a request of the child. It does not wait for it, except
// for log lines: they keep their order and have no answer.
func (r *run) ask(a wire.Ask) {
	if a.Op == js.OpLog {
		if r.lines++; r.lines <= mostLines {
			_, _ = r.do(a, 0)
		}
		return
	}
	if err := r.admit(a); err != nil {
		r.answer(a, js.Answer{}, err)
		return
	}
	gopool.Go(func() {
		defer r.leave(a)
		select {
		case r.turns <- struct{}{}:
			defer func() { <-r.turns }()
		case <-r.ctx.Done():
			return
		}
		answer, err := r.do(a, 0)
		r.answer(a, answer, err)
		answer.Finish()
	}, nil)
}

func (r *run) admit(a wire.Ask) error {
	switch {
	case a.Op == js.OpNext || a.Op == js.OpUses:
		return tool.Fail(tool.PermissionDenied, "the script is not a program")
	case a.Op == js.OpFetch && !r.job.Network:
		return tool.Fail(tool.PermissionDenied, "the script may not use the network; its tool needs the permission network")
	case a.Op == js.OpFile && !r.job.Files:
		return tool.Fail(tool.PermissionDenied, "the script may not use files; its tool needs the permission filesystem")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.asks >= mostAsks || r.bytes+sizeOf(a) > askBytes {
		return tool.Fail(tool.RateLimited, "the script has too many requests running; await some of them first")
	}
	r.asks++
	r.bytes += sizeOf(a)
	if r.turns == nil {
		r.turns = make(chan struct{}, atOnce)
	}
	return nil
}

func (r *run) leave(a wire.Ask) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asks--
	r.bytes -= sizeOf(a)
}

func sizeOf(a wire.Ask) int { return len(a.Args) + len(a.Body) }

// do never panics: a host that panics fails only this request.
func (r *run) do(a wire.Ask, cpu time.Duration) (answer js.Answer, err error) {
	defer func() {
		if v := recover(); v != nil {
			r.child.log.Error("a host operation of a script panicked", zap.String("op", string(a.Op)), zap.Any("panic", v), zap.Stack("stack"))
			answer, err = js.Answer{}, tool.Fail(tool.ExecutionError, "the operation failed").Because(fmt.Errorf("panic: %v", v))
		}
	}()
	if r.job.Host == nil {
		return js.Answer{}, tool.Fail(tool.Unsupported, "the script has no host that could do this")
	}
	return js.Ask(r.ctx, r.job.Host, js.Request{Op: a.Op, Args: a.Args, Body: a.Body, CPU: cpu})
}

// answer sends an answer to the child, unless the run is over.
func (r *run) answer(a wire.Ask, given js.Answer, err error) {
	if r.ctx.Err() != nil {
		return
	}
	answer := &wire.Answer{Ask: a.ID, Value: given.Value, Body: given.Body}
	if err == nil && len(given.Value) == 0 {
		answer.Value = json.RawMessage("null")
	}
	if err != nil {
		answer.Value, answer.Body, answer.Error = nil, nil, r.failure(err)
	}
	err = r.child.out.Write(wire.Frame{Answer: answer})
	if err == nil {
		return
	}
	// The answer was too large, or not JSON; if the child has ended this fails as well.
	refusal := tool.Fail(tool.ExecutionError, "the answer does not fit into the sandbox; ask for less than %d MB", wire.Max>>20)
	_ = r.child.out.Write(wire.Frame{Answer: &wire.Answer{Ask: a.ID, Error: r.failure(refusal)}})
}

func (r *run) failure(err error) *wire.Failure {
	f := wire.Fail(err)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kinds = append(r.kinds, f.Kind)
	return f
}
