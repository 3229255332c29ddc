package e2e

import (
	"fmt"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/config"
)

// TestPoison puts messages onto the work queue that no dispatcher would: each
// is set aside for an operator, once, and hurts nobody else.
func TestPoison(t *testing.T) {
	t.Parallel()
	poison := []string{
		"", "garbage", "\x00\xff\xfe", "null", "[]", "{}", `{"call_id": "c1"}`, `{"call_id": "c1", "tool": "debug.echo"}`,
		`{"call_id": "c1", "origin": "o", "tool": "debug.fail"}`,                             // not the tool of its subject
		`{"call_id": 7, "origin": "o", "tool": "debug.echo"}`,                                // a wrong type
		`{"call_id": "a.b", "origin": "o", "tool": "debug.echo"}`,                            // would leave its subject
		`{"call_id": ">", "origin": "o", "tool": "debug.echo"}`,                              // or be a wildcard
		`{"call_id": "c1", "origin": "*", "tool": "debug.echo"}`,                             //
		`{"call_id": "c1", "origin": "a b", "tool": "debug.echo"}`,                           // or no subject at all
		`{"call_id": "c 1", "origin": "o", "tool": "debug.echo"}`,                            //
		`{"call_id": "c1", "origin": "o\r\nPUB x 0\r\n", "tool": "debug.echo"}`,              // or more than one line
		`{"call_id": "c1", "origin": "o", "tool": "debug.echo", "trace_id": "a b"}`,          //
		`{"call_id": "c1", "origin": "o", "tool": "debug.echo", "trace_id": "x\",\"y\":\""}`, // or break out of its JSON
		`{"call_id": "c1", "origin": "o", "tool": "debug.echo", "arguments_ref": "nobody/nothing"}`,
	}
	s := launch(t, plan{config: func(c *config.Config) { c.Worker.Slots = 2 }})
	for _, message := range poison {
		s.enqueue(t, "default", "debug.echo", message)
		wantResult(t, one(t, s.http(0), "default", echo("1")), "1")
	}
	dead := s.stream(t, "HELVE_DEAD")
	eventually(t, "every message is dead", func() bool {
		info, err := dead.Info(t.Context())
		return err == nil && info.State.Msgs >= uint64(len(poison))
	})
	eventually(t, "the queue is empty", func() bool {
		info, err := s.stream(t, "HELVE_CALLS").Info(t.Context())
		return err == nil && info.State.Msgs == 0
	})
	eventually(t, "helve_dead_letters_total counts them", func() bool {
		return s.metric(t, "helve_dead_letters_total") == float64(len(poison))
	})
	for i := range poison {
		msg, err := dead.GetMsg(t.Context(), uint64(i+1))
		if err != nil {
			t.Fatal(err)
		}
		if msg.Header.Get("Helve-Reason") == "" || msg.Header.Get("Helve-Subject") != "helve.v1.default.call.default.debug.echo" {
			t.Errorf("dead letter %q has the headers %v, want its reason and its subject", msg.Data, msg.Header)
		}
	}
	wantResult(t, one(t, s.http(0), "default", echo("1")), "1")
}

// stream opens one of Helve's streams.
func (s *system) stream(t testing.TB, name string) jetstream.Stream {
	t.Helper()
	js, err := jetstream.New(s.nc)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return stream
}

// TestGarbageOnEverySubject: whoever may publish to the bus can say anything;
// nobody dies of it.
func TestGarbageOnEverySubject(t *testing.T) {
	t.Parallel()
	s := launch(t, plan{})
	for _, subject := range []string{"event.x.y", "cancel.x", "cancel", "probe.x", "replay.x", "result.o.c", "consent.request.u", "api.nothing", "call", "remote.x"} {
		for _, message := range []string{"", "garbage", "{}", "[]"} {
			if err := s.nc.PublishMsg(&nats.Msg{Subject: "helve.v1.default." + subject, Reply: "nobody.listens", Data: []byte(message)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	wantResult(t, one(t, s.http(0), "default", echo("1")), "1")
	events := s.http(0).follow(t, "default", fmt.Sprintf("%032x", 7), "")
	execute(t, s.nats(), "default", traced(fmt.Sprintf("%032x", 7), echo("1")))
	events.until("done")
}
