package bus

import (
	"context"
	"crypto/rand"
	"sync"

	"github.com/nats-io/nats.go"
)

// progress hears what processes outside tell of the calls they run for this worker.
//
// Each call has a subject of its own, which holds a secret that only the process
// knows that was given the call: so nobody tells of another's call, and what is told
// when the call has ended is told to nobody.
type progress struct {
	told  chan *nats.Msg
	flush chan chan struct{}
	done  <-chan struct{}

	mu    sync.Mutex
	calls map[string]func([]byte) // by subject
}

// progressBuffer is how much may wait to be told on. What is over it is lost, as
// events may be.
const progressBuffer = 1024

// Progress is the subject on which the progress of one call is told to a worker.
func (s Subjects) Progress(tenant, worker, secret string) string {
	return s.of(tenant, "progress", worker, secret)
}

// ServeProgress begins to hear of the calls of [Bus.AskRemote], until ctx ends.
func (b *Bus) ServeProgress(ctx context.Context) error {
	p := &progress{
		told: make(chan *nats.Msg, progressBuffer), flush: make(chan chan struct{}), done: ctx.Done(),
		calls: map[string]func([]byte){},
	}
	if _, err := b.nc.ChanSubscribe(b.subj.Progress("*", b.id, "*"), p.told); err != nil {
		return err
	}
	b.progress = p
	go p.run()
	return nil
}

func (p *progress) run() {
	for {
		select {
		case <-p.done:
			return
		case m := <-p.told:
			p.deliver(m)
		case caughtUp := <-p.flush:
			for range len(p.told) {
				p.deliver(<-p.told)
			}
			close(caughtUp)
		}
	}
}

func (p *progress) deliver(m *nats.Msg) {
	p.mu.Lock()
	each := p.calls[m.Subject]
	p.mu.Unlock()
	if each != nil {
		each(m.Data)
	}
}

// expect returns the subject of one call. End first hands on what came before it:
// the client library puts messages into the channel in the order in which they come,
// so what was told before the answer is in there when the answer is.
func (p *progress) expect(b *Bus, tenant string, each func([]byte)) (subject string, end func()) {
	subject = b.subj.Progress(tenant, b.id, rand.Text())
	p.mu.Lock()
	p.calls[subject] = each
	p.mu.Unlock()
	return subject, func() {
		caughtUp := make(chan struct{})
		select {
		case p.flush <- caughtUp:
			<-caughtUp
		case <-p.done:
		}
		p.mu.Lock()
		delete(p.calls, subject)
		p.mu.Unlock()
	}
}
