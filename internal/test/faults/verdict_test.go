package faults

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// observer reads the streams of NATS, as any program could.
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
	ctx, cancel := context.WithTimeout(context.Background(), patience())
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

// queued returns the number of calls on the work queue, running or waiting.
func (o observer) queued() uint64 {
	o.t.Helper()
	return o.stored("helve.v1.default.call.default.tool")
}

// stored returns the number of messages in the stream of a subject.
func (o observer) stored(subject string) uint64 {
	o.t.Helper()
	return o.streamOf(subject).CachedInfo().State.Msgs
}

// ackWait returns the redelivery time of the default pool.
func (o observer) ackWait() time.Duration {
	o.t.Helper()
	return o.pool().Config.AckWait
}

// pool returns the server's information about the default pool.
func (o observer) pool() *jetstream.ConsumerInfo {
	o.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience())
	defer cancel()
	all := o.streamOf("helve.v1.default.call.default.tool").ListConsumers(ctx)
	sum := &jetstream.ConsumerInfo{}
	for c := range all.Info() {
		sum.Config = c.Config
		sum.NumAckPending += c.NumAckPending
		sum.NumRedelivered += c.NumRedelivered
		sum.NumPending += c.NumPending
	}
	if err := all.Err(); err != nil {
		o.t.Fatal(err)
	}
	return sum
}

const anyResult = "helve.v1.default.result.pool.origin.call"

// results reads every stored result, by tenant and call_id.
func (o observer) results() map[string][]element {
	o.t.Helper()
	s := o.streamOf(anyResult)
	ctx, cancel := context.WithTimeout(context.Background(), patience())
	defer cancel()
	c, err := s.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{})
	if err != nil {
		o.t.Fatal(err)
	}
	found := map[string][]element{}
	for left := s.CachedInfo().State.Msgs; left > 0; left-- {
		msg := o.next(c, left)
		tokens := strings.Split(msg.Subject(), ".") // helve.v1.<tenant>.result.<pool>.<origin>.<call_id>
		for _, one := range inGroup(msg) {
			var e element
			if err := json.Unmarshal(one.element, &e); err != nil {
				o.t.Fatalf("stored result %q: %v", one.element, err)
			}
			key := tokens[2] + "/" + one.callID
			found[key] = append(found[key], e)
		}
	}
	return found
}

// stored is one result of a message of the results stream.
type stored struct {
	callID          string
	element, record []byte
}

// inGroup returns the results of a message, which is one unless it is a group.
func inGroup(msg jetstream.Msg) (all []stored) {
	data, group := msg.Data(), msg.Headers().Get("Helve-Group")
	if group == "" {
		return []stored{{msg.Subject()[strings.LastIndexByte(msg.Subject(), '.')+1:], data, []byte(msg.Headers().Get("Helve-Record"))}}
	}
	records := strings.Split(msg.Headers().Get("Helve-Record"), "\t")
	for i, name := range strings.Fields(group) {
		callID, length, _ := strings.Cut(name, ":")
		n, _ := strconv.Atoi(length)
		all = append(all, stored{callID, data[:n], []byte(records[i])})
		data = data[n:]
	}
	return all
}

// settled waits until no call is on the queue, then checks the promises: one stored result
// for each call that was made, or a first one, with which calls.get agrees, at most one
// effect, and exactly one for each success. The programs are drained at the end. It returns
// the results by call_id.
func (w *world) settled(d door) map[string]element {
	w.t.Helper()
	o := w.observe()
	await(w.t, "an empty queue", func() bool { return o.queued() == 0 })
	got := map[string]element{}
	for _, c := range w.calls {
		got[c.tenant+"/"+c.ID], _ = d.get(c)
	}
	o.records()
	w.drain() // the buffered output is written now
	stored := o.results()
	for _, c := range w.calls {
		key := c.tenant + "/" + c.ID
		// A second result of a call without side effects may be stored after one in a
		// group.
		if n := len(stored[key]); n == 0 || n > 1 && c.Tool == "debug.effect" {
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
