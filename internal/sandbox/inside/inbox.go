package inside

import (
	"runtime"

	"github.com/helve-dev/helve/internal/sandbox/wire"
)

// inbox is what a child is sent. Most runs ask for nothing, so the goroutine that
// runs them reads by itself: a hop to it would cost as much as the run. The first
// ask of a run starts a reader beside it, which ends with the next order.
type inbox struct {
	in     *wire.Reader
	orders chan order // nil while nobody listens
}

type order struct {
	frame wire.Frame
	err   error
}

// order waits for the next frame that is no answer. It must not be called during a
// run, and listen only then.
func (b *inbox) order() (wire.Frame, error) {
	if b.orders != nil {
		o := <-b.orders
		b.orders = nil
		return o.frame, o.err
	}
	for {
		f, err := b.in.Read()
		if err != nil || f.Answer == nil {
			return f, err
		}
	}
}

// listen has answers delivered from now on.
func (b *inbox) listen(answered func(*wire.Answer)) {
	if b.orders != nil {
		return
	}
	orders := make(chan order, 1)
	b.orders = orders
	go func() {
		for {
			f, err := b.in.Read()
			if err != nil || f.Answer == nil {
				orders <- order{f, err}
				return
			}
			answered(f.Answer)
			// Who waits for it goes on first: to wait in the kernel keeps what ran
			// here from running for a while.
			runtime.Gosched()
		}
	}()
}
