package queue_test

import (
	"fmt"
	"testing"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
)

// BenchmarkRoundTrip measures a call without its tool: submitted, taken, its result stored
// and received by the caller.
func BenchmarkRoundTrip(b *testing.B) {
	srv := queuetest.Server(b)
	d, w := queuetest.Connect(b, srv), queuetest.Connect(b, srv)
	in, err := d.Results.OpenInbox(func(string, string) {})
	if err != nil {
		b.Fatal(err)
	}
	if err := w.Calls.EnsurePool(queuetest.Context(b), "default"); err != nil {
		b.Fatal(err)
	}
	c, err := w.Calls.Consume("default", 64, func(call *queue.Delivery) {
		w.Results.Finish(call.Tenant, call.Pool, call.Origin, call.ID, queue.Finished{Element: []byte(`{"status":"success"}`)},
			func(err error) {
				if err != nil {
					b.Errorf("Finish: %v", err)
				}
				call.Ack()
			})
		call.Release()
	}, func() { b.Error("dead letter") })
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	got := make(chan []byte, 1)
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		n++
		e := newCall(fmt.Sprint("c", n))
		e.Origin = d.Conn.ID()
		in.Expect(e.Tenant, e.ID, e.Tool, "default", e.Owner(), got, nil)
		d.Calls.Submit(e, func(err error) {
			if err != nil {
				b.Errorf("Submit: %v", err)
			}
		})
		queuetest.Receive(b, got, "result")
	}
}
