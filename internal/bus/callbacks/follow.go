package callbacks

import (
	"cmp"
	"context"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/bus/subject"
)

// batch is the number of states that are read at a time.
const batch = 500

// Following holds the functions that [Store.Follow] calls.
type Following struct {
	// Each is called for the callbacks that are stored, and then for each change, in order.
	Each func(k Key, c *Callback)
	// Crowded is called for each tenant that is marked as crowded.
	Crowded func(tenant string)
	// Read is called when all that was stored has been read.
	Read func()
}

// Follow reads the stored callbacks, and then their changes, until ctx ends or the stream
// cannot be read.
func (b *Store) Follow(ctx context.Context, f Following) error {
	w := natsio.Walk{
		Conn:   b.conn,
		Stream: streams.Callbacks,
		Filter: b.subj.Of("*", "callback", "*", "*"),
		Next:   1,
		Batch:  batch,
		Wait:   natsio.WalkWait,
	}
	w.Rest = func() error { f.Read(); return nil }
	w.Each = func(msg *nats.Msg, meta *nats.MsgMetadata) error {
		k, ok := b.subj.key(msg.Subject)
		if ok && k.Tenant == subject.System {
			f.Crowded(k.Receiver)
			return nil
		}
		var c Callback
		if err := json.Unmarshal(msg.Data, &c, lenient); !ok || err != nil {
			b.conn.Log().Error("callback not readable", zap.String("subject", msg.Subject), zap.Uint64("seq", meta.Sequence.Stream), zap.Error(err))
			return nil
		}
		f.Each(k, &c)
		return nil
	}
	return w.Run(ctx)
}

// Kept returns how long a callback is kept from its last change.
func (b *Store) Kept() time.Duration { return b.keep }

// Erase removes the callbacks of a person. Calls without a user are those of the person "_".
func (b *Store) Erase(ctx context.Context, tenant, person string) error {
	var keys []Key
	w := natsio.Walk{Conn: b.conn, Stream: streams.Callbacks, Filter: b.subj.Of(tenant, "callback", "*", "*"), Next: 1, Batch: batch}
	w.Each = func(msg *nats.Msg, _ *nats.MsgMetadata) error {
		k, ok := b.subj.key(msg.Subject)
		var c Callback
		if err := json.Unmarshal(msg.Data, &c, lenient); ok && err == nil && cmp.Or(c.Call.User, nobody) == person {
			keys = append(keys, k)
		}
		return nil
	}
	if err := w.Run(ctx); err != nil {
		return err
	}
	for _, k := range keys {
		if err := b.Remove(ctx, k); err != nil {
			return err
		}
	}
	return nil
}

// nobody is the person of calls without a user.
const nobody = "_"

// endsRoom is the number of results that may wait to be passed on; those beyond are found
// when their calls are looked at.
const endsRoom = 256

// Ends passes on which calls of a set have got a result. It costs nothing for other calls:
// the server sends only the results of these.
type Ends struct {
	b   *Store
	got chan *nats.Msg
}

// WatchEnds returns an empty set.
func (b *Store) WatchEnds() *Ends { return &Ends{b, make(chan *nats.Msg, endsRoom)} }

// Add adds a call, until the returned function is called.
func (e *Ends) Add(tenant, callID string) (remove func(), err error) {
	sub, err := e.b.conn.NATS().ChanSubscribe(e.b.results.Answer(tenant, "*", "*", callID), e.got)
	if err != nil {
		return nil, err
	}
	return func() { _ = sub.Unsubscribe() }, nil
}

// Run calls ended for each result that is stored, until ctx ends. A result may be missed,
// as while the connection is lost.
func (e *Ends) Run(ctx context.Context, ended func(tenant, callID string)) {
	for {
		select {
		case <-ctx.Done():
			return
		case msg := <-e.got:
			if tenant, _, _, callID := e.b.results.ReadResult(natsio.ServerHeader(msg, natsio.HeaderSubject)); callID != "" {
				ended(tenant, callID)
			}
		}
	}
}
