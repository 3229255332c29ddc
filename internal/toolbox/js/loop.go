package js

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"time"

	"github.com/dop251/goja"

	"github.com/helve-dev/helve/internal/x/gopool"
	"github.com/helve-dev/helve/tool"
)

// loop holds what a run waits for besides the script itself.
type loop struct {
	done     chan func() error // finished operations of the host
	pending  int               // host operations that the script has not received
	running  gopool.Group
	timers   []*timer // by due time
	lastID   int
	rejected []*goja.Promise // rejected promises without a handler
}

// background runs work on a goroutine of its own, and the function that work returns on
// that of the script.
func (r *realm) background(work func() func() error) {
	if r.done == nil {
		r.done = make(chan func() error)
	}
	r.pending++
	r.running.Go(func() {
		finish := work()
		select {
		case r.done <- finish:
		case <-r.ctx.Done():
		}
	})
}

var promiseType = reflect.TypeFor[*goja.Promise]()

// await drives the loop until v, if it is a promise, is settled.
func (r *realm) await(v goja.Value) (goja.Value, error) {
	p, err := r.promise(v)
	if p == nil || err != nil {
		return v, err
	}
	turn := r.turn
	if r.program != nil {
		turn = r.program.turn
	}
	for p.State() == goja.PromiseStatePending {
		if err := turn(); err != nil {
			return nil, err
		}
	}
	r.track(p, goja.PromiseRejectionHandle)
	if p.State() == goja.PromiseStateRejected {
		return nil, rejection{p.Result()}
	}
	return p.Result(), nil
}

// promise returns v as a promise, or nil if it is not one; it runs no method of v.
func (r *realm) promise(v goja.Value) (*goja.Promise, error) {
	obj, ok := v.(*goja.Object)
	if !ok {
		return nil, nil
	}
	if obj.ExportType() == promiseType {
		p, _ := obj.Export().(*goja.Promise)
		return p, nil
	}
	var then goja.Value
	if thrown := r.vm.Try(func() { then = obj.Get("then") }); thrown != nil {
		return nil, thrown
	}
	if _, ok := goja.AssertFunction(then); !ok {
		return nil, nil
	}
	p, resolve, _ := r.vm.NewPromise()
	return p, resolve(obj)
}

// turn waits for one event and lets the script process it.
func (r *realm) turn() error {
	if r.pending == 0 && len(r.timers) == 0 {
		return errNeverSettles()
	}
	var due <-chan time.Time
	if len(r.timers) > 0 {
		t := time.NewTimer(time.Until(r.timers[0].due))
		defer t.Stop()
		due = t.C
	}
	over := r.metered.waiting()
	select {
	case finish := <-r.done:
		over()
		r.pending--
		return finish()
	case <-due:
		over()
		return r.fire()
	case <-r.ctx.Done():
		return r.ended()
	}
}

func errNeverSettles() *tool.Error {
	return tool.Fail(tool.ExecutionError, "the script awaits a promise that never settles")
}

// ended returns the error of a run whose context has ended.
func (r *realm) ended() *tool.Error {
	cause := context.Cause(r.ctx)
	if errors.Is(cause, errHeld) {
		return r.task.Meter.held()
	}
	if errors.Is(cause, context.DeadlineExceeded) || errors.Is(r.ctx.Err(), context.DeadlineExceeded) {
		return tool.Fail(tool.Timeout, "the script timed out").Because(cause)
	}
	return tool.Fail(tool.Cancelled, "the script was cancelled").Because(cause)
}

// track records rejected promises without a handler.
func (r *realm) track(p *goja.Promise, op goja.PromiseRejectionOperation) {
	if op == goja.PromiseRejectionReject {
		r.rejected = append(r.rejected, p)
		return
	}
	for i, known := range slices.Backward(r.rejected) {
		if known == p {
			r.rejected = slices.Delete(r.rejected, i, i+1)
			return
		}
	}
}

// leftovers warns the author of pending work at the end of the script.
func (r *realm) leftovers(returned bool) {
	if r.ctx.Err() != nil {
		return
	}
	const most = 5 // of which each is probably a mistake
	for _, p := range r.rejected[:min(len(r.rejected), most)] {
		r.log("warn", "nobody awaits a promise that was rejected: "+r.thrown(p.Result(), nil).Msg)
	}
	if r.program != nil {
		r.program.leftovers(returned)
		return
	}
	if returned && r.pending+len(r.timers) > 0 {
		r.log("warn", "the script returned while it still waited for something, which is given up; await it")
	}
}
