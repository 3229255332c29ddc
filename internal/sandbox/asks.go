package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/js"
	"github.com/helve-dev/helve/internal/sandbox/wire"
	"github.com/helve-dev/helve/tool"
)

// Bounds of what a run asks for. A child's own bounds are lower; these hold
// also for one that lies.
const (
	atOnce    = 16       // the host does as many things for a run
	mostAsks  = 256      // wait for it or are under way
	askBytes  = 16 << 20 // of all those
	mostLines = 1000     // of log in a run; the rest is dropped
)

// run is one job that a child serves.
type run struct {
	id    uint64
	ctx   context.Context
	job   *Job
	child *child

	lines int // counted by who reads

	mu    sync.Mutex
	turns chan struct{}
	asks  int
	bytes int
	kinds []tool.Kind // that the host answered with
}

// ask has the host do what the child asks for. It does not wait for it, except
// for log lines: they keep their order, and there is no answer to them.
func (r *run) ask(a wire.Ask) {
	if a.Op == js.OpLog {
		if r.lines++; r.lines <= mostLines {
			_, _ = r.do(a)
		}
		return
	}
	if err := r.admit(a); err != nil {
		r.answer(a, nil, err)
		return
	}
	go func() {
		defer r.leave(a)
		select {
		case r.turns <- struct{}{}:
			defer func() { <-r.turns }()
		case <-r.ctx.Done():
			return
		}
		value, err := r.do(a)
		r.answer(a, value, err)
	}()
}

func (r *run) admit(a wire.Ask) error {
	switch {
	case a.Op == js.OpFetch && !r.job.Network:
		return tool.Fail(tool.PermissionDenied, "the script may not use the network; its tool needs the permission network")
	case a.Op == js.OpFile && !r.job.Files:
		return tool.Fail(tool.PermissionDenied, "the script may not use files; its tool needs the permission filesystem")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.asks >= mostAsks || r.bytes+len(a.Args) > askBytes {
		return tool.Fail(tool.RateLimited, "the script has too much under way at once; await some of it first")
	}
	r.asks++
	r.bytes += len(a.Args)
	if r.turns == nil {
		r.turns = make(chan struct{}, atOnce)
	}
	return nil
}

func (r *run) leave(a wire.Ask) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asks--
	r.bytes -= len(a.Args)
}

// do never panics: a host that does costs its ask only.
func (r *run) do(a wire.Ask) (value json.RawMessage, err error) {
	defer func() {
		if v := recover(); v != nil {
			r.child.log.Error("a host operation of a script panicked", zap.String("op", string(a.Op)), zap.Any("panic", v), zap.Stack("stack"))
			value, err = nil, tool.Fail(tool.ExecutionError, "the operation failed").Because(fmt.Errorf("panic: %v", v))
		}
	}()
	if r.job.Host == nil {
		return nil, tool.Fail(tool.Unsupported, "the script has no host that could do this")
	}
	return r.job.Host.Do(r.ctx, a.Op, a.Args)
}

// answer tells the child, unless the run is over.
func (r *run) answer(a wire.Ask, value json.RawMessage, err error) {
	if r.ctx.Err() != nil {
		return
	}
	answer := &wire.Answer{Ask: a.ID, Value: value}
	if err == nil && len(value) == 0 {
		answer.Value = json.RawMessage("null")
	}
	if err != nil {
		answer.Value, answer.Error = nil, r.failure(err)
	}
	err = r.child.out.Write(wire.Frame{Answer: answer})
	if err == nil {
		return
	}
	// It was too large, or no JSON; if the child is gone this fails as well.
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
