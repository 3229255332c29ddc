package storm

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

const effectTool = "debug.effect"

// life is one call with all operations on it.
type life struct {
	call call
	made bool // a dispatcher chose its id

	mu  sync.Mutex
	ops []operation
}

// load holds the callers of a run.
type load struct {
	fleet    *fleet
	asker    *asker
	lives    []life
	next     atomic.Int64
	done     atomic.Int64
	requests atomic.Int64
	failed   atomic.Int64
	refused  atomic.Int64
	over     int64 // when the callers had made their calls, in Unix nanoseconds
}

func newLoad(f *fleet, callers int) *load {
	return &load{fleet: f, asker: newAsker(callers), lives: make([]life, f.opts.Calls)}
}

// run makes every call, with this number of callers.
func (l *load) run(ctx context.Context, callers int) error {
	var crowd sync.WaitGroup
	for n := range callers {
		crowd.Go(func() {
			r := rand.New(rand.NewPCG(l.fleet.opts.Seed, uint64(n)))
			for ctx.Err() == nil {
				i := int(l.next.Add(1)) - 1
				if i >= len(l.lives) {
					return
				}
				l.live(ctx, i, r)
				l.done.Add(1)
			}
		})
	}
	crowd.Wait()
	l.over = time.Now().UnixNano()
	return context.Cause(ctx)
}

// live makes one call of a random kind.
func (l *load) live(ctx context.Context, i int, r *rand.Rand) {
	v := &l.lives[i]
	id := fmt.Sprintf("s%d-%d", l.fleet.opts.Seed, i)
	switch kind := r.IntN(100); {
	case l.fleet.opts.Notes > 0 && r.IntN(100) < l.fleet.opts.Notes:
		v.call = call{id, noteTool, json.RawMessage(fmt.Sprintf(`{"title":%q,"content":"note %d"}`, id, i))}
	case kind < 25: // a read under an id that a dispatcher chooses
		v.made, id = true, ""
		fallthrough
	case kind < 50:
		v.call = call{id, "debug.echo", json.RawMessage(fmt.Sprintf(`{"value":"%d-%d"}`, i, r.Uint64()))}
	case kind < 65:
		v.call = call{id, "debug.sleep", json.RawMessage(fmt.Sprintf(`{"ms":%d}`, r.IntN(60)))}
	default:
		v.call = call{id, effectTool, json.RawMessage(fmt.Sprintf(`{"key":"k","before_ms":%d,"after_ms":%d}`, r.IntN(15), r.IntN(15)))}
	}
	door := r.IntN(dispatchers)
	var beside sync.WaitGroup
	if !v.made {
		switch r.IntN(20) {
		case 0: // the same call, through the other dispatcher, at the same time
			beside.Go(func() { l.do(ctx, v, execute, door+1) })
		case 1:
			beside.Go(func() { l.do(ctx, v, get, door+1) })
		case 2:
			beside.Go(func() { l.do(ctx, v, cancel, door+1) })
		}
	}
	l.finish(ctx, v, door, r)
	beside.Wait()
	if !v.made && r.IntN(4) == 0 { // it is unchanged, on either dispatcher
		l.do(ctx, v, get, door+1)
		l.do(ctx, v, execute, door)
	}
}

const (
	// attempts limits the requests of a caller for one call.
	attempts = 200
	restTime = 100 * time.Millisecond
)

// finish requests the call until it is done. A read without an id is not requested
// again, because its call is unknown.
func (l *load) finish(ctx context.Context, v *life, door int, r *rand.Rand) {
	for n := range attempts {
		a := l.do(ctx, v, execute, door+n)
		if v.made && a.callID != "" {
			v.call.ID = a.callID // it has one from now on
		}
		if a.state == done || v.call.ID == "" || ctx.Err() != nil {
			return
		}
		if a.state != pending && pause(ctx, restTime/2+time.Duration(r.Int64N(int64(restTime)))) != nil {
			return
		}
	}
}

// do sends one request to one dispatcher and records the answer.
func (l *load) do(ctx context.Context, v *life, did what, door int) answer {
	op := operation{what: did, began: time.Now().UnixNano()}
	switch url := l.fleet.door(door); did {
	case get:
		op.answer = l.asker.get(ctx, url, v.call.ID)
	case cancel:
		op.answer = l.asker.cancel(ctx, url, v.call.ID)
	case execute, effect, crash:
		op.answer = l.asker.execute(ctx, url, v.call)
	}
	op.over = time.Now().UnixNano()
	l.requests.Add(1)
	switch op.answer.state {
	case silent:
		l.failed.Add(1)
	case refused:
		l.refused.Add(1)
	case absent, pending, done:
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.ops = append(v.ops, op)
	return op.answer
}
