package peer

import (
	"context"
	"crypto/rand"
	"sync"

	"github.com/nats-io/nats.go"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/x/gopool"
)

// progress receives the progress of the calls that remote processes run for this worker.
//
// Each call has a subject of its own, which contains a secret that only the process with
// the call knows: so a process cannot report progress of another's call, and progress after
// the end of a call is dropped.
type progress struct {
	told  chan *nats.Msg
	flush chan chan struct{}
	done  <-chan struct{}
	log   *zap.Logger

	mu    sync.Mutex
	calls map[string]func([]byte) // by subject
}

// progressBuffer is the number of messages that may wait to be passed on. Further ones are
// lost, as events may be.
const progressBuffer = 1024

// Progress is the subject on which the progress of one call is sent to a worker.
func (s Subjects) Progress(tenant, worker, secret string) string {
	return s.Of(tenant, "progress", worker, secret)
}

// ServeProgress starts to receive the progress of the calls of [Remote.AskRemote], until
// ctx ends.
func (b *Remote) ServeProgress(ctx context.Context) error {
	p := &progress{
		told: make(chan *nats.Msg, progressBuffer), flush: make(chan chan struct{}), done: ctx.Done(), log: b.log,
		calls: map[string]func([]byte){},
	}
	if _, err := b.conn.NATS().ChanSubscribe(b.subj.Progress("*", b.conn.ID(), "*"), p.told); err != nil {
		return err
	}
	b.progress = p
	gopool.Go(p.run, nil)
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
		if err := gopool.Catch(func() error { each(m.Data); return nil }); err != nil {
			p.log.Error("progress of a call crashed", zap.Error(err))
		}
	}
}

// expect returns the subject of one call. End first passes on the earlier messages: the
// client library puts messages into the channel in the order in which they arrive, so
// progress sent before the answer is in the channel when the answer is.
func (p *progress) expect(b *core, tenant string, each func([]byte)) (subject string, end func()) {
	subject = b.subj.Progress(tenant, b.conn.ID(), rand.Text())
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
