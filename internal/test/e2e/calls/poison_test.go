package calls

import (
	"fmt"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestPoison puts messages onto the work queue that no dispatcher would: each is set aside
// for an operator, once, and affects no other call.
func TestPoison(t *testing.T) {
	t.Parallel()
	poison := []string{
		"", "garbage", "\x00\xff\xfe", "null", "[]", "{}", `{"call_id": "c1"}`, `{"call_id": "c1", "tool": "debug.echo"}`,
		`{"call_id": "c1", "origin": "o", "tool": "debug.fail"}`,                             // not the tool of its subject
		`{"call_id": 7, "origin": "o", "tool": "debug.echo"}`,                                // a wrong type
		`{"call_id": "a.b", "origin": "o", "tool": "debug.echo"}`,                            // would leave its subject
		`{"call_id": ">", "origin": "o", "tool": "debug.echo"}`,                              // or be a wildcard
		`{"call_id": "c1", "origin": "*", "tool": "debug.echo"}`,                             //
		`{"call_id": "c1", "origin": "a b", "tool": "debug.echo"}`,                           // or form no subject
		`{"call_id": "c 1", "origin": "o", "tool": "debug.echo"}`,                            //
		`{"call_id": "c1", "origin": "o\r\nPUB x 0\r\n", "tool": "debug.echo"}`,              // or more than one line
		`{"call_id": "c1", "origin": "o", "tool": "debug.echo", "trace_id": "a b"}`,          //
		`{"call_id": "c1", "origin": "o", "tool": "debug.echo", "trace_id": "x\",\"y\":\""}`, // or break out of its JSON
		`{"call_id": "c1", "origin": "o", "tool": "debug.echo", "arguments_ref": "nobody/nothing"}`,
	}
	s := system.Launch(t, system.Plan{Config: func(c *config.Config) { c.Worker.Slots = 2 }})
	for _, message := range poison {
		s.PublishCall(t, "default", "debug.echo", message)
		system.WantResult(t, system.One(t, s.HTTP(0), "default", system.EchoCall("1")), "1")
	}
	dead := s.Stream(t, "HELVE_DEAD")
	system.Eventually(t, "every message is dead", func() bool {
		info, err := dead.Info(t.Context())
		return err == nil && info.State.Msgs >= uint64(len(poison))
	})
	system.Eventually(t, "the queue is empty", func() bool {
		info, err := s.Stream(t, "HELVE_CALLS").Info(t.Context())
		return err == nil && info.State.Msgs == 0
	})
	system.Eventually(t, "helve_dead_letters_total counts them", func() bool {
		return s.Metric(t, "helve_dead_letters_total") == float64(len(poison))
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
	system.WantResult(t, system.One(t, s.HTTP(0), "default", system.EchoCall("1")), "1")
}

// TestGarbageOnEverySubject: a client with the right to publish may send anything; no
// process ends because of it.
func TestGarbageOnEverySubject(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{})
	for _, subject := range []string{
		"event.x.y", "cancel.x", "cancel", "probe.x", "replay.x", "result.p.o.c", "consent.request.u", "api.nothing", "call", "remote.x",
	} {
		for _, message := range []string{"", "garbage", "{}", "[]"} {
			if err := s.Conn.PublishMsg(&nats.Msg{
				Subject: "helve.v1.default." + subject,
				Reply:   "nobody.listens",
				Data:    []byte(message),
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
	system.WantResult(t, system.One(t, s.HTTP(0), "default", system.EchoCall("1")), "1")
	events := s.HTTP(0).Follow(t, "default", fmt.Sprintf("%032x", 7), "")
	system.Execute(t, s.NATS(), "default", system.Traced(fmt.Sprintf("%032x", 7), system.EchoCall("1")))
	events.Until("done")
}
