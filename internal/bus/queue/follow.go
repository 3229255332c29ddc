package queue

import (
	"errors"
	"sync"

	"github.com/nats-io/nats.go"
)

// followed holds the subscriptions to results of calls that other dispatchers accepted, one
// for each dispatcher: which group holds a call is known only when it arrives.
type followed struct {
	mu  sync.Mutex
	all map[string]*followedOrigin
}

type followedOrigin struct {
	sub   *nats.Subscription
	users int
}

// Follow also receives the results of a call that another dispatcher accepted, until the
// returned function is called.
func (in *Inbox) Follow(tenant, origin, callID string) (stop func(), err error) {
	if origin == in.queue.conn.ID() {
		return func() {}, nil
	}
	if err := in.others.join(origin, in); err != nil {
		return nil, err
	}
	awaits, err := in.queue.conn.NATS().Subscribe(in.queue.subj.Awaits(tenant, origin, callID), in.heard)
	if err != nil {
		return nil, errors.Join(err, in.others.leave(origin))
	}
	return func() { _, _ = awaits.Unsubscribe(), in.others.leave(origin) }, nil
}

func (f *followed) join(origin string, in *Inbox) (err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	o := f.all[origin]
	if o == nil {
		o = &followedOrigin{}
		if o.sub, err = in.queue.conn.NATS().Subscribe(in.queue.subj.Answer("*", "*", origin, "*"), in.deliver); err != nil {
			return err
		}
		if err := o.sub.SetPendingLimits(-1, -1); err != nil {
			return errors.Join(err, o.sub.Unsubscribe())
		}
		if f.all == nil {
			f.all = map[string]*followedOrigin{}
		}
		f.all[origin] = o
	}
	o.users++
	return nil
}

func (f *followed) leave(origin string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	o := f.all[origin]
	if o.users--; o.users > 0 {
		return nil
	}
	delete(f.all, origin)
	return o.sub.Unsubscribe()
}
