package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// The floor is the messages of a call and nothing else: the request, three events,
// the call, its result and its record, each stored and acknowledged as Helve has them,
// delivered to as many as read them there, and the answer, all with Helve's sizes.
// Nothing is decoded, checked, indexed or sealed, so no program that sends these
// messages is faster than the NATS client and server let it be here.
const (
	floorSubject = "bench.floor"
	floorCalls   = "BENCH_CALLS"
	floorResults = "BENCH_RESULTS"
	floorAudit   = "BENCH_AUDIT"
	// floorReaders is how many read the trail: one that seals, one that indexes.
	floorReaders = 2
	// floorSlots is how many calls the worker takes at once.
	floorSlots = 256
)

// What the messages of a call of debug.echo with this payload take in Helve, in bytes.
const (
	floorEvent  = 233 // of the three on average
	floorCall   = 419
	floorResult = 502
	floorRecord = 649
	floorAnswer = 562
)

// sized is a message of so many bytes that holds what a caller looks for.
func sized(size int) []byte {
	data := append(bytes.Clone(success), payload...)
	return append(data, bytes.Repeat([]byte(" "), size-len(data))...)
}

func floorStreams() []jetstream.StreamConfig {
	return []jetstream.StreamConfig{
		{Name: floorCalls, Subjects: []string{"bench.call.>"}, Retention: jetstream.WorkQueuePolicy, Discard: jetstream.DiscardNew},
		{
			Name: floorResults, Subjects: []string{"bench.result.>"}, MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew,
			DiscardNewPerSubject: true, AllowDirect: true, DenyDelete: true, DenyPurge: true,
		},
		{Name: floorAudit, Subjects: []string{"bench.audit.>"}, Discard: jetstream.DiscardNew, AllowDirect: true, DenyDelete: true, DenyPurge: true},
	}
}

// floorFront stands for the dispatcher; its argument is the URL of NATS.
func (c *child) floorFront(ctx context.Context) error {
	nc, js, err := connectFloor(c.arg(0))
	if err != nil {
		return err
	}
	defer nc.Close()
	for _, cfg := range floorStreams() {
		if _, err := js.CreateStream(ctx, cfg); err != nil {
			return err
		}
	}
	for range floorReaders {
		reader, err := js.OrderedConsumer(ctx, floorAudit, jetstream.OrderedConsumerConfig{})
		if err != nil {
			return err
		}
		reading, err := reader.Consume(func(jetstream.Msg) {})
		if err != nil {
			return err
		}
		defer reading.Stop()
	}
	var asked sync.Map // by the call's number
	answer, event, call := sized(floorAnswer), sized(floorEvent), sized(floorCall)
	const results = "bench.result.d."
	_, err = nc.Subscribe(results+"*", func(msg *nats.Msg) {
		if request, ok := asked.LoadAndDelete(msg.Subject[len(results):]); ok {
			_ = request.(*nats.Msg).Respond(answer) //nolint:forcetypeassert // nothing else is stored
		}
	})
	if err != nil {
		return err
	}
	number := 0
	_, err = nc.QueueSubscribe(floorSubject, "front", func(msg *nats.Msg) {
		number++
		id := fmt.Sprintf("%036d", number)
		asked.Store(id, msg)
		_ = nc.Publish("bench.event."+id, event)
		_, _ = js.PublishAsync("bench.call."+id, call) // a lost one is a call that fails
	})
	return c.serveFloor(ctx, nc, err)
}

// floorWorker stands for the worker; its argument is the URL of NATS.
func (c *child) floorWorker(ctx context.Context) error {
	nc, js, err := connectFloor(c.arg(0))
	if err != nil {
		return err
	}
	defer nc.Close()
	consumer, err := js.CreateConsumer(ctx, floorCalls, jetstream.ConsumerConfig{Durable: "worker", AckPolicy: jetstream.AckExplicitPolicy, MaxAckPending: -1})
	if err != nil {
		return err
	}
	result, record, event := sized(floorResult), sized(floorRecord), sized(floorEvent)
	var rests atomic.Pointer[jetstream.Msg]
	taking, err := consumer.Consume(func(msg jetstream.Msg) {
		id := msg.Subject()[len("bench.call."):]
		_ = nc.Publish("bench.event."+id, event)
		_ = nc.Publish("bench.event."+id, event)
		stored, first := js.PublishAsync("bench.result.d."+id, result)
		recorded, second := js.PublishAsync("bench.audit.echo", record)
		if first != nil || second != nil {
			return // the call fails
		}
		go func() {
			if !acknowledged(stored) || !acknowledged(recorded) {
				return
			}
			// The last one rests until another comes, as in Helve: a queue that is
			// emptied by each call has its file replaced by each.
			if before := rests.Swap(&msg); before != nil {
				_ = (*before).Ack()
			}
		}()
	}, jetstream.PullMaxMessages(floorSlots))
	if err != nil {
		return err
	}
	defer taking.Stop()
	return c.serveFloor(ctx, nc, nil)
}

func connectFloor(url string) (*nats.Conn, jetstream.JetStream, error) {
	nc, err := nats.Connect(url)
	if err != nil {
		return nil, nil, err
	}
	js, err := jetstream.New(nc, jetstream.WithPublishAsyncMaxPending(maxCallers))
	if err != nil {
		nc.Close()
		return nil, nil, err
	}
	return nc, js, nil
}

func acknowledged(f jetstream.PubAckFuture) bool {
	select {
	case <-f.Ok():
		return true
	case err := <-f.Err():
		return err == nil
	}
}

// serveFloor says ready once the server knows of the subscriptions.
func (c *child) serveFloor(ctx context.Context, nc *nats.Conn, err error) error {
	if err := errors.Join(err, nc.Flush()); err != nil {
		return err
	}
	fmt.Fprintln(c, "ready")
	<-ctx.Done()
	return nil
}

func callFloor(nc *nats.Conn) error {
	reply, err := nc.Request(floorSubject, body, callTimeout)
	if err != nil {
		return err
	}
	return judge(reply.Data)
}
