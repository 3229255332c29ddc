package faults

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// observer reads what NATS holds, as any program could.
type observer struct {
	t  *testing.T
	js jetstream.JetStream
}

func (w *world) observe() observer {
	w.t.Helper()
	if w.sees != nil {
		return *w.sees
	}
	nc, err := nats.Connect(w.url, nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond))
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		w.t.Fatal(err)
	}
	w.sees = &observer{w.t, js}
	return *w.sees
}

func (o observer) streamOf(subject string) jetstream.Stream {
	o.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	name, err := o.js.StreamNameBySubject(ctx, subject)
	if err != nil {
		o.t.Fatal(err)
	}
	s, err := o.js.Stream(ctx, name)
	if err != nil {
		o.t.Fatal(err)
	}
	return s
}

// queued is how many calls are on the work queue, running or waiting.
func (o observer) queued() uint64 {
	o.t.Helper()
	return o.stored("helve.v1.default.call.default.tool")
}

// stored is how many messages the stream of a subject holds.
func (o observer) stored(subject string) uint64 {
	o.t.Helper()
	return o.streamOf(subject).CachedInfo().State.Msgs
}

// ackWait is the redelivery clock of the default pool.
func (o observer) ackWait() time.Duration {
	o.t.Helper()
	return o.pool().Config.AckWait
}

// pool is what the server knows of the default pool.
func (o observer) pool() *jetstream.ConsumerInfo {
	o.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c, err := o.streamOf("helve.v1.default.call.default.tool").Consumer(ctx, "default")
	if err != nil {
		o.t.Fatal(err)
	}
	return c.CachedInfo()
}

const anyResult = "helve.v1.default.result.origin.call"

// results reads every stored result, by tenant and call_id.
func (o observer) results() map[string][]element {
	o.t.Helper()
	s := o.streamOf(anyResult)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c, err := s.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{})
	if err != nil {
		o.t.Fatal(err)
	}
	found := map[string][]element{}
	for left := s.CachedInfo().State.Msgs; left > 0; left-- {
		msg, err := c.Next(jetstream.FetchMaxWait(10 * time.Second))
		if err != nil {
			o.t.Fatalf("%d results could not be read: %v", left, err)
		}
		var e element
		if err := json.Unmarshal(msg.Data(), &e); err != nil {
			o.t.Fatalf("stored result %q: %v", msg.Data(), err)
		}
		tokens := strings.Split(msg.Subject(), ".") // helve.v1.<tenant>.result.<origin>.<call_id>
		key := tokens[2] + "/" + tokens[len(tokens)-1]
		found[key] = append(found[key], e)
	}
	return found
}

// settled waits until no call is on the queue, then holds the whole world to
// the promise: one stored result for each call that was asked for, which
// calls.get agrees with, at most one effect, and exactly one for each success.
// The programs are drained at the end. It returns the results by call_id.
func (w *world) settled(d door) map[string]element {
	w.t.Helper()
	o := w.observe()
	await(w.t, "an empty queue", func() bool { return o.queued() == 0 })
	got := map[string]element{}
	for _, c := range w.calls {
		got[c.tenant+"/"+c.ID], _ = d.get(c)
	}
	w.drain() // what a process still holds comes out now
	stored := o.results()
	for _, c := range w.calls {
		key := c.tenant + "/" + c.ID
		if n := len(stored[key]); n != 1 {
			w.t.Errorf("%s has %d stored results, want 1: %+v", key, n, stored[key])
			continue
		}
		e := stored[key][0]
		if seen := got[key]; !seen.same(&e) {
			w.t.Errorf("%s: calls.get answered %+v, stored is %+v", key, seen, e)
		}
		w.ledgerAgrees(c, &e)
	}
	return got
}

func (w *world) ledgerAgrees(c *call, e *element) {
	w.t.Helper()
	if c.Tool != "debug.effect" {
		return
	}
	lines := w.ledger(c.tenant)[c.ID]
	if lines > 1 || (e.outcome() == "success" && lines != 1) {
		w.t.Errorf("%s/%s ended in %s with %d lines in the ledger", c.tenant, c.ID, e.outcome(), lines)
	}
}
