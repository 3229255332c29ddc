package queue

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/nats-io/nats.go"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/protocol"
)

// Inbox receives the results of the calls this process accepted.
type Inbox struct {
	queue  *core
	ended  func(tenant, callID string)
	shards [inboxShards]inboxShard
	size   atomic.Int64
	told   answered
	others followed
	// declines is the beginning of the subjects on which direct calls are declined, and
	// direct is set once this process is known to be able to publish direct calls.
	declines string
	direct   atomic.Bool
}

// inboxShards is the number of locks for the waiting calls.
const inboxShards = 32

type inboxShard struct {
	mu      sync.Mutex
	waiting map[inboxKey][]expected
}

type expected struct {
	tool   string
	pool   string
	owner  *protocol.Owner
	got    chan<- []byte
	awaits chan<- string
	// refused receives a refusal if the call is a direct one; nil if it is not, or if no
	// refusal can come any longer.
	refused chan<- error
	// dials is the number of connections when the waiting began, or -1. A result received
	// on another connection may follow a missed result.
	dials int64
}

// OpenInbox subscribes to the results of this process, once. Ended is called for each of
// them, including calls without a waiting caller.
func (b *Results) OpenInbox(ended func(tenant, callID string)) (*Inbox, error) {
	in := &Inbox{queue: b.core, ended: ended, declines: natsio.InboxBelow(b.conn.NATS(), peer.Holders)}
	for i := range in.shards {
		in.shards[i].waiting = map[inboxKey][]expected{}
	}
	for subject, hear := range map[string]nats.MsgHandler{
		b.subj.Answer("*", "*", b.conn.ID(), "*"): in.deliver,
		b.subj.Awaits("*", b.conn.ID(), "*"):      in.heard, in.declines + "*.*": in.declined,
	} {
		sub, err := b.conn.NATS().Subscribe(subject, hear)
		if err != nil {
			return nil, err
		}
		if err := sub.SetPendingLimits(-1, -1); err != nil {
			return nil, err
		}
	}
	if err := in.testDirect(); err != nil {
		return nil, err
	}
	return in, b.listens()
}

// listens returns an error if the credentials of this process do not permit it to listen to
// answers.
func (b *core) listens() error {
	if !b.conn.NATS().IsConnected() || b.conn.NATS().FlushTimeout(natsio.ReadTimeout) != nil {
		return nil //nolint:nilerr // the subscriptions are sent once the connection is back
	}
	err := b.conn.NATS().LastError()
	if errors.Is(err, nats.ErrPermissionViolation) && strings.Contains(err.Error(), ".answer.") {
		return fmt.Errorf("the NATS credentials of %s do not permit it to receive results; write them again with helve nats-auth: %w",
			b.opts.Name, err)
	}
	return nil
}

// inboxKey names a call.
type inboxKey struct{ tenant, callID string }

func (in *Inbox) shard(key inboxKey) *inboxShard {
	var h uint32
	for i := max(0, len(key.callID)-8); i < len(key.callID); i++ {
		h = h*31 + uint32(key.callID[i])
	}
	return &in.shards[h%inboxShards]
}

// Expect registers got for the result of a call; got must have room for it. A result that a
// worker of another pool stored is not sent. Nil is sent in place of a result before which
// another may have been stored: it must be looked up. Awaits receives the id of the consent
// if the call is parked. Forget ends that.
func (in *Inbox) Expect(tenant, callID, tool, pool string, owner *protocol.Owner, got chan<- []byte, awaits chan<- string) {
	key := inboxKey{tenant, callID}
	s := in.shard(key)
	s.mu.Lock()
	s.waiting[key] = append(s.waiting[key], expected{
		tool:   tool,
		pool:   pool,
		owner:  owner,
		got:    got,
		awaits: awaits,
		dials:  in.queue.conn.Dials(),
	})
	s.mu.Unlock()
	in.size.Add(1)
}

// Forget reverses an Expect.
func (in *Inbox) Forget(tenant, callID string, got chan<- []byte) {
	key := inboxKey{tenant, callID}
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

// Move changes the pool of an expected result to that of the accepted call, if this process
// assumed another. The call was accepted before, so the first result that arrives may not
// be its first.
func (in *Inbox) Move(tenant, callID, pool string, got chan<- []byte) {
	key := inboxKey{tenant, callID}
	s := in.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, e := range s.waiting[key] {
		if e.got == got {
			s.waiting[key][i].pool, s.waiting[key][i].dials = pool, -1
		}
	}
}

// Waiting reports whether a caller here waits for the call, and returns its tool and owner.
func (in *Inbox) Waiting(tenant, callID string) (tool string, owner *protocol.Owner, ok bool) {
	key := inboxKey{tenant, callID}
	s := in.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	if list := s.waiting[key]; len(list) > 0 {
		return list[0].tool, list[0].owner, true
	}
	return "", nil, false
}

// deliver passes on an answer. Only the server publishes answers, but a client may make it
// send something else there, as the reply to a request or through a consumer. A reply names
// the subject that its message is stored under, a consumer's message has a reply subject:
// neither is accepted as the result of another call.
func (in *Inbox) deliver(msg *nats.Msg) {
	tenant, pool, origin, callID := in.queue.subj.ReadResult(natsio.ServerHeader(msg, natsio.HeaderSubject))
	if origin == "" || msg.Reply != "" {
		in.queue.log.Error("answer refused: it is no stored result", zap.String("subject", msg.Subject))
		return
	}
	seq, err := strconv.ParseUint(natsio.ServerHeader(msg, natsio.HeaderSequence), 10, 64)
	switch {
	case err != nil:
	case strings.HasPrefix(callID, groupMark):
		err = readGroup(msg.Header.Get(HeaderGroup), msg.Data, func(callID string, element []byte) {
			in.pass(inboxKey{tenant, callID}, result{pool, element, seq, true})
			in.ended(tenant, callID)
		})
	default:
		in.pass(inboxKey{tenant, callID}, result{pool, msg.Data, seq, msg.Header.Get(HeaderShared) != ""})
		in.ended(tenant, callID)
	}
	if err != nil {
		in.queue.log.Error("answer refused: it is no stored result", zap.String("subject", msg.Subject), zap.Error(err))
	}
}

// result is a received result.
type result struct {
	pool    string
	element []byte
	seq     uint64
	// shared means that another message may hold a result of the call.
	shared bool
}

// pass sends a result to its waiters. Messages arrive in the order in which they are
// stored, so the first that arrives is the first that was stored, unless the connection was
// lost in between.
func (in *Inbox) pass(key inboxKey, r result) {
	s := in.shard(key)
	s.mu.Lock()
	list, stay := s.waiting[key], []expected(nil)
	if r.pool != "" && slices.ContainsFunc(list, func(e expected) bool { return e.pool != r.pool }) {
		stay = slices.DeleteFunc(slices.Clone(list), func(e expected) bool { return e.pool == r.pool })
		list = slices.DeleteFunc(list, func(e expected) bool { return e.pool != r.pool })
	}
	if len(stay) > 0 {
		s.waiting[key] = stay
	} else {
		delete(s.waiting, key)
	}
	s.mu.Unlock()
	if len(stay) > 0 {
		in.queue.log.Error("result refused: a worker of another pool stored it",
			zap.String("call", key.tenant+"/"+key.callID), zap.String("pool", r.pool))
	}
	in.size.Add(-int64(len(list)))
	for _, e := range list {
		element := r.element
		if r.shared && e.dials != in.queue.conn.Dials() {
			element = nil
		} else if r.shared {
			in.told.add(key, r.seq)
		}
		select {
		case e.got <- element:
		default: // the waiter has room for one, and has it already
		}
	}
}

// Answered returns the place of the result that a caller here received recently.
func (in *Inbox) Answered(tenant, callID string) (seq uint64, ok bool) {
	return in.told.get(inboxKey{tenant, callID})
}

// heard notifies those waiting for a call that it is parked. They continue to wait for its
// result.
func (in *Inbox) heard(msg *nats.Msg) {
	tenant, callID := in.queue.subj.TenantAndLast(msg.Subject)
	key := inboxKey{tenant, callID}
	s := in.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.waiting[key] {
		select {
		case e.awaits <- string(msg.Data):
		default: // it has been notified
		}
	}
}
