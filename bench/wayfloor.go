package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/bus/queue"
)

// The floor is only the messages of a call: the request, three events, the call, its
// result with its record, each stored and acknowledged as in Helve, republished to the
// dispatcher, read once more for the trail, and the answer, all with Helve's sizes. The
// trail's own messages hold a thousand records each, and are omitted. Nothing is
// decoded, checked, indexed or sealed, so no program that sends these messages can be
// faster here with this NATS client and server.
const (
	floorSubject = "bench.floor"
	floorCalls   = "BENCH_CALLS"
	floorResults = "BENCH_RESULTS"
	floorAnswers = "bench.answer."
	// floorSlots is the number of calls that the worker runs concurrently.
	floorSlots = 256
)

// The sizes of the messages of a call of debug.echo with this payload in Helve, in
// bytes.
const (
	floorEvent  = 250 // of the three on average
	floorCall   = 419
	floorResult = 513
	floorRecord = 746
	floorAnswer = 573
)

// sized returns a message of this size that contains the text a caller searches.
func sized(size int) []byte {
	data := append(bytes.Clone(success), payload...)
	return append(data, bytes.Repeat([]byte(" "), size-len(data))...)
}

func floorStreams() []jetstream.StreamConfig {
	return []jetstream.StreamConfig{
		{Name: floorCalls, Subjects: []string{"bench.call.>"}, Retention: jetstream.WorkQueuePolicy, Discard: jetstream.DiscardNew},
		{
			Name: floorResults, Subjects: []string{"bench.result.>"}, MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew,
			DiscardNewPerSubject: true, AllowDirect: true, DenyDelete: true,
			RePublish: &jetstream.RePublish{Source: "bench.result.>", Destination: floorAnswers + ">"},
		},
	}
}

// floorFront plays the dispatcher; its argument is the URL of NATS.
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
	reader, err := js.OrderedConsumer(ctx, floorResults, jetstream.OrderedConsumerConfig{HeadersOnly: true})
	if err != nil {
		return err
	}
	reading, err := reader.Consume(func(jetstream.Msg) {})
	if err != nil {
		return err
	}
	defer reading.Stop()
	var asked sync.Map // by the call's number
	answer, event, call := sized(floorAnswer), sized(floorEvent), sized(floorCall)
	_, err = nc.Subscribe(floorAnswers+"d.*", func(msg *nats.Msg) {
		if request, ok := asked.LoadAndDelete(msg.Subject[len(floorAnswers+"d."):]); ok {
			_ = request.(*nats.Msg).Respond(answer)
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
		_, _ = js.PublishAsync("bench.call."+id, call) // a lost one is a failed call
	})
	return c.serveFloor(ctx, nc, err)
}

// floorWorker plays the worker; its argument is the URL of NATS.
func (c *child) floorWorker(ctx context.Context) error {
	nc, js, err := connectFloor(c.arg(0))
	if err != nil {
		return err
	}
	defer nc.Close()
	consumer, err := js.CreateConsumer(ctx, floorCalls, jetstream.ConsumerConfig{
		Durable:       "worker",
		AckPolicy:     jetstream.AckExplicitPolicy,
		MaxAckPending: -1,
	})
	if err != nil {
		return err
	}
	result, event := sized(floorResult), sized(floorEvent)
	record := nats.Header{queue.HeaderRecord: {strings.Repeat("x", floorRecord)}}
	var rests atomic.Pointer[jetstream.Msg]
	taking, err := consumer.Consume(func(msg jetstream.Msg) {
		id := msg.Subject()[len("bench.call."):]
		_ = nc.Publish("bench.event."+id, event)
		_ = nc.Publish("bench.event."+id, event)
		stored, err := js.PublishMsgAsync(&nats.Msg{Subject: "bench.result.d." + id, Data: result, Header: record})
		if err != nil {
			return // the call fails
		}
		go func() {
			if !acknowledged(stored) {
				return
			}
			// The last one waits until another comes, as in Helve: the server replaces
			// the file of a queue that each call empties.
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

// serveFloor prints the ready line once the server knows the subscriptions.
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
