package bench

import (
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/bus/queue"
)

func TestRunFloor(t *testing.T) {
	opts, gone := quick(t)
	opts.Only, opts.Callers = []string{Bare, Floor}, []int{4}
	report, err := Run(bounded(t), opts)
	if err != nil {
		t.Fatal(err)
	}
	gone(5)
	if report.Failed > 0 {
		t.Errorf("%d calls failed, the first: %s", report.Failed, report.FirstFailure)
	}
	floor := report.Floor["4"]
	if floor.Rate <= 0 || report.Ratios["floor_rate_4"] != floor.Rate/report.Bare["4"].Rate || report.NATS != nil {
		t.Errorf("bare and the floor: %+v, want both with their ratio, and nothing else", report)
	}
	for _, share := range floor.CPUEach {
		if share.CPU <= 0 {
			t.Errorf("%s took no CPU for a call of the floor: it has no part in it", share.Role)
		}
	}
}

// TestFloorIsOfACall: it has the messages of a call through Helve, with their sizes.
func TestFloorIsOfACall(t *testing.T) {
	opts, _ := quick(t)
	f, err := newFleet(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	for _, start := range []func() (*node, error){
		func() (*node, error) { return f.worker(t.Context()) },
		func() (*node, error) { return f.dispatcher(t.Context()) },
	} {
		if _, err := start(); err != nil {
			t.Fatal(err)
		}
	}
	nc, err := nats.Connect(f.nats)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	heard := make(chan *nats.Msg, 1024)
	if _, err := nc.ChanSubscribe("helve.v1.default.*.>", heard); err != nil {
		t.Fatal(err)
	}
	reply, err := nc.Request("helve.v1.default.api.execute", body, callTimeout)
	if err != nil {
		t.Fatal(err)
	}
	if err := judge(reply.Data); err != nil {
		t.Fatal(err)
	}
	near := func(what string, got, want int) {
		if got < want*9/10 || got > want*11/10 {
			t.Errorf("%s of Helve has %d bytes, that of the floor %d", what, got, want)
		}
	}
	near("an answer", len(reply.Data), floorAnswer)
	want := map[string]int{"event": 3, "call": 1, "result": 1, "answer": 1}
	sizes := map[string]int{"event": floorEvent, "call": floorCall, "result": floorResult, "answer": floorResult}
	for len(want) > 0 {
		select {
		case msg := <-heard:
			kind := strings.Split(msg.Subject, ".")[3]
			if kind == "result" {
				near("a record", len(msg.Header.Get(queue.HeaderRecord)), floorRecord)
			}
			if size, counts := sizes[kind]; counts {
				near("a message "+kind, len(msg.Data), size)
				if want[kind] == 0 {
					t.Fatalf("Helve has one more message %s than the floor", kind)
				}
				if want[kind]--; want[kind] == 0 {
					delete(want, kind)
				}
			}
		case <-time.After(callTimeout):
			t.Fatalf("these messages did not come: %v", want)
		}
	}
}
