package bus

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/nats-io/nats.go"
)

// Stored is a result as it lies in the stream.
type Stored struct {
	// Element is one result element, JSON.
	Element []byte
	Origin  string
}

// Result returns the stored result of a call, or nil if there is none.
func (b *Bus) Result(ctx context.Context, tenant, callID string) (*Stored, error) {
	msg, err := b.last(ctx, StreamResults, b.subj.Result(tenant, "*", callID))
	if errors.Is(err, errNoRecord) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s := &Stored{Element: msg.Data}
	if _, tokens, ok := b.subj.split(msg.Subject, 3); ok && len(tokens) == 3 {
		s.Origin = tokens[1]
	}
	return s, nil
}

// Finish publishes the result of a call: one publish that is stored and that
// the dispatcher which waits sees. Done is called once; nil and ErrExists both
// mean that a result is stored.
//
// The message has no header: the server would look through it a dozen times.
func (b *Bus) Finish(tenant, origin, callID string, element []byte, done func(error)) {
	msg := &nats.Msg{Subject: b.subj.Result(tenant, origin, callID), Data: element}
	b.publish(msg, func(_ stored, err error) { done(err) })
}

// FinishWait is Finish for callers that wait.
func (b *Bus) FinishWait(ctx context.Context, tenant, origin, callID string, element []byte) error {
	done := make(chan error, 1)
	b.Finish(tenant, origin, callID, element, func(err error) { done <- err })
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Inbox receives the results of the calls this process accepted.
type Inbox struct {
	bus    *Bus
	shards [muxShards]inboxShard
	size   atomic.Int64
}

type inboxShard struct {
	mu      sync.Mutex
	waiting map[string][]expected
}

type expected struct {
	tool   string
	got    chan<- []byte
	awaits chan<- string
}

// OpenInbox subscribes to the results of this process, once.
func (b *Bus) OpenInbox() (*Inbox, error) {
	in := &Inbox{bus: b}
	for i := range in.shards {
		in.shards[i].waiting = map[string][]expected{}
	}
	for subject, hear := range map[string]nats.MsgHandler{
		b.subj.Result("*", b.id, "*"): in.deliver, b.subj.Awaits("*", b.id, "*"): in.heard,
	} {
		sub, err := b.nc.Subscribe(subject, hear)
		if err != nil {
			return nil, err
		}
		if err := sub.SetPendingLimits(-1, -1); err != nil {
			return nil, err
		}
	}
	return in, nil
}

func (in *Inbox) shard(key string) *inboxShard {
	var h uint32
	for i := range len(key) {
		h = h*31 + uint32(key[i])
	}
	return &in.shards[h%muxShards]
}

func inboxKey(tenant, callID string) string { return tenant + "/" + callID }

// Expect asks for the result of a call: it is sent to got, which must have
// room for it. Awaits gets the id of the consent that the call waits for, should
// it. Forget ends that.
func (in *Inbox) Expect(tenant, callID, tool string, got chan<- []byte, awaits chan<- string) {
	key := inboxKey(tenant, callID)
	s := in.shard(key)
	s.mu.Lock()
	s.waiting[key] = append(s.waiting[key], expected{tool, got, awaits})
	s.mu.Unlock()
	in.size.Add(1)
}

// Forget takes back an Expect.
func (in *Inbox) Forget(tenant, callID string, got chan<- []byte) {
	key := inboxKey(tenant, callID)
	s := in.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.waiting[key]
	for i, e := range list {
		if e.got == got {
			in.size.Add(-1)
			list = append(list[:i], list[i+1:]...)
			break
		}
	}
	if len(list) == 0 {
		delete(s.waiting, key)
		return
	}
	s.waiting[key] = list
}

// Waiting reports whether somebody here waits for the call, and for which
// tool it is.
func (in *Inbox) Waiting(tenant, callID string) (tool string, ok bool) {
	key := inboxKey(tenant, callID)
	s := in.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	if list := s.waiting[key]; len(list) > 0 {
		return list[0].tool, true
	}
	return "", false
}

func (in *Inbox) deliver(msg *nats.Msg) {
	tenant, callID := in.bus.subj.tenantAndLast(msg.Subject)
	in.hand(inboxKey(tenant, callID), msg.Data)
}

func (in *Inbox) hand(key string, element []byte) {
	s := in.shard(key)
	s.mu.Lock()
	list := s.waiting[key]
	delete(s.waiting, key)
	s.mu.Unlock()
	in.size.Add(-int64(len(list)))
	for _, e := range list {
		select {
		case e.got <- element:
		default: // whoever waits has room for one, and has it already
		}
	}
}

// Follow also hears the results of a call that another dispatcher accepted,
// until the returned function is called.
func (in *Inbox) Follow(tenant, origin, callID string) (stop func(), err error) {
	if origin == in.bus.id {
		return func() {}, nil
	}
	result, err := in.bus.nc.Subscribe(in.bus.subj.Result(tenant, origin, callID), in.deliver)
	if err != nil {
		return nil, err
	}
	awaits, err := in.bus.nc.Subscribe(in.bus.subj.Awaits(tenant, origin, callID), in.heard)
	if err != nil {
		return nil, errors.Join(err, result.Unsubscribe())
	}
	return func() { _, _ = result.Unsubscribe(), awaits.Unsubscribe() }, nil
}
