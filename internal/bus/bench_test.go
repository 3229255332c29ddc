package bus_test

import (
	"fmt"
	"testing"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/bus/bustest"
)

// BenchmarkRoundTrip is the way of a call without its tool: submitted, taken,
// its result stored and seen by who waits.
func BenchmarkRoundTrip(b *testing.B) {
	srv := bustest.Server(b)
	d, w := bustest.Connect(b, srv), bustest.Connect(b, srv)
	in, err := d.OpenInbox()
	if err != nil {
		b.Fatal(err)
	}
	if err := w.EnsurePool(bustest.Context(b), "default"); err != nil {
		b.Fatal(err)
	}
	c, err := w.Consume("default", 64, func(call *bus.Delivery) {
		w.Finish(call.Tenant, call.Origin, call.CallID, []byte(`{"status":"success"}`), func(err error) {
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
		e := call(fmt.Sprint("c", n))
		e.Origin = d.ID()
		in.Expect(e.Tenant, e.CallID, e.Tool, got, nil)
		d.Submit(e, func(err error) {
			if err != nil {
				b.Errorf("Submit: %v", err)
			}
		})
		bustest.Receive(b, got, "result")
	}
}
