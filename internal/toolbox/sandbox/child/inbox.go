package child

import (
	"runtime"

	"github.com/helve-dev/helve/internal/toolbox/sandbox/wire"
)

// inbox receives the frames for a child. Most runs make no request, so the goroutine that
// runs them reads the frames itself: a switch to another would cost as much as the run. The
// first request of a run starts a reading goroutine, which ends with the next order.
type inbox struct {
	in     *wire.Reader
	orders chan order // nil without a reading goroutine
}

type order struct {
	frame wire.Frame
	err   error
}

// order waits for the next frame that is not an answer. During a run only listen may be
// used.
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

// answer waits for the answer to a request, while nothing listens.
func (b *inbox) answer(ask uint64) (*wire.Answer, error) {
	for {
		f, err := b.in.Read()
		if err != nil || f.Answer != nil && f.Answer.Ask == ask {
			return f.Answer, err
		}
	}
}

// listen has answers passed to answered from now on.
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
			// Let the waiting goroutine run first: a wait in the kernel delays goroutines
			// of this thread for a while.
			runtime.Gosched()
		}
	}()
}
