package js

import (
	"slices"
	"time"

	"github.com/dop251/goja"
)

// maxTimers limits the pending timers.
const maxTimers = 1000

// timer is a function that a script wants to be called later.
type timer struct {
	id   int
	due  time.Time
	call goja.Callable
	args []goja.Value
}

// setTimeout implements setTimeout: a function, the milliseconds to wait, the arguments
// for the call.
func (r *realm) setTimeout(call goja.FunctionCall) goja.Value {
	f, ok := goja.AssertFunction(call.Argument(0))
	if !ok {
		panic(r.vm.NewTypeError("setTimeout needs a function"))
	}
	if len(r.timers) >= maxTimers {
		panic(r.vm.NewTypeError("at most %d timers may wait at a time", maxTimers))
	}
	const longest = 1 << 31 // milliseconds; no call lasts so long
	wait := min(max(call.Argument(1).ToInteger(), 0), longest)
	r.lastID++
	t := &timer{id: r.lastID, due: time.Now().Add(time.Duration(wait) * time.Millisecond), call: f}
	if len(call.Arguments) > 2 {
		t.args = slices.Clone(call.Arguments[2:])
	}
	// After those that are due at the same time, so that they fire in order.
	at, _ := slices.BinarySearchFunc(r.timers, t, func(a, b *timer) int {
		if a.due.After(b.due) {
			return 1
		}
		return -1
	})
	r.timers = slices.Insert(r.timers, at, t)
	return r.vm.ToValue(t.id)
}

func (r *realm) clearTimeout(call goja.FunctionCall) goja.Value {
	if id := call.Argument(0); goja.IsNumber(id) {
		r.timers = slices.DeleteFunc(r.timers, func(t *timer) bool { return int64(t.id) == id.ToInteger() })
	}
	return goja.Undefined()
}

// fire calls the function that is due first. An error that it throws ends the script.
func (r *realm) fire() error {
	t := r.timers[0]
	r.timers = slices.Delete(r.timers, 0, 1)
	_, err := t.call(goja.Undefined(), t.args...)
	return err
}
