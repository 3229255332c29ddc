package bus_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/bus/bustest"
)

// refusal is an error that knows its code.
type refusal struct{ code int }

func (r refusal) Error() string { return fmt.Sprint("refused with ", r.code) }

func (r refusal) Fault() (int, string, []byte) {
	return r.code, "no tool of that name", []byte(`{"a":1}`)
}

// served is a bus that answers a few operations, and a caller's connection.
func served(t *testing.T) (*nats.Conn, func(context.Context) error) {
	t.Helper()
	srv := bustest.Server(t)
	b := bustest.Connect(t, srv)
	stop, err := b.Serve(t.Context(), "v1.2.3", map[string]bus.Handler{
		"tools.list": func(_ context.Context, tenant string, body []byte, header func(string) string) ([]byte, error) {
			return fmt.Appendf(nil, "%s|%s|%s", tenant, body, header("traceparent")), nil
		},
		"tools.get": func(context.Context, string, []byte, func(string) string) ([]byte, error) {
			return nil, fmt.Errorf("wrapped: %w", refusal{404})
		},
		"events": func(context.Context, string, []byte, func(string) string) ([]byte, error) {
			return nil, errors.New("something broke")
		},
		"calls.get": func(context.Context, string, []byte, func(string) string) ([]byte, error) {
			return make([]byte, b.MaxPayload()+1), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Check(bustest.Context(t)); err != nil {
		t.Fatal(err)
	}
	nc, err := nats.Connect(srv.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc, stop
}

func request(t *testing.T, nc *nats.Conn, subject string) *nats.Msg {
	t.Helper()
	msg := &nats.Msg{Subject: subject, Data: []byte("body"), Header: nats.Header{"traceparent": {"00-x"}}}
	reply, err := nc.RequestMsgWithContext(bustest.Context(t), msg)
	if err != nil {
		t.Fatalf("%s: %v", subject, err)
	}
	return reply
}

func TestServeAnswersWithTheTenantOfTheSubject(t *testing.T) {
	t.Parallel()
	nc, _ := served(t)
	for _, tenant := range []string{"acme", "other"} {
		if got := string(request(t, nc, "helve.v1."+tenant+".api.tools.list").Data); got != tenant+"|body|00-x" {
			t.Errorf("answer = %q, want tenant %s, body and header", got, tenant)
		}
	}
}

func TestServeFaultsBecomeServiceErrors(t *testing.T) {
	t.Parallel()
	nc, _ := served(t)
	for _, tt := range []struct{ operation, code, text, body string }{
		{"tools.get", "404", "no tool of that name", `{"a":1}`},
		{"events", "500", "something broke", ""},
		{"calls.get", "500", "nats: maximum payload exceeded", ""},
	} {
		reply := request(t, nc, "helve.v1.acme.api."+tt.operation)
		code, text := reply.Header.Get(micro.ErrorCodeHeader), reply.Header.Get(micro.ErrorHeader)
		if code != tt.code || text != tt.text || string(reply.Data) != tt.body {
			t.Errorf("%s: error %q %q with %q, want %q %q with %q", tt.operation, code, text, reply.Data, tt.code, tt.text, tt.body)
		}
	}
}

func TestServeIsAMicroService(t *testing.T) {
	t.Parallel()
	nc, stop := served(t)
	var info micro.Info
	if err := json.Unmarshal(request(t, nc, "$SRV.INFO."+bus.ServiceName).Data, &info); err != nil {
		t.Fatal(err)
	}
	if info.Name != "helve-dispatcher" || info.Version != "1.2.3" || len(info.Endpoints) != 4 {
		t.Errorf("$SRV.INFO = %+v, want helve-dispatcher 1.2.3 with 4 endpoints", info)
	}
	found := false
	for _, e := range info.Endpoints {
		found = found || e.Subject == "helve.v1.*.api.tools.list" && e.QueueGroup == bus.ServiceName
	}
	if !found {
		t.Errorf("endpoints = %+v, want tools.list in the queue group", info.Endpoints)
	}
	if err := stop(bustest.Context(t)); err != nil {
		t.Errorf("stop = %v", err)
	}
	bustest.Until(t, "nobody takes requests", func() bool {
		_, err := nc.Request("helve.v1.acme.api.tools.list", nil, time.Second)
		return errors.Is(err, nats.ErrNoResponders)
	})
}

// TestStopWaitsForWhatIsBeingAnswered, until its context ends.
func TestStopWaitsForWhatIsBeingAnswered(t *testing.T) {
	t.Parallel()
	srv := bustest.Server(t)
	b := bustest.Connect(t, srv)
	came, answer := make(chan struct{}), make(chan struct{})
	stop, err := b.Serve(t.Context(), "dev", map[string]bus.Handler{
		"execute": func(context.Context, string, []byte, func(string) string) ([]byte, error) {
			close(came)
			<-answer
			return []byte("answered"), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Check(bustest.Context(t)); err != nil {
		t.Fatal(err)
	}
	caller := bustest.Connect(t, srv).JetStream().Conn()
	replies := make(chan *nats.Msg, 1)
	sub, err := caller.ChanSubscribe("my.inbox", replies)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	if err := caller.PublishRequest("helve.v1.acme.api.execute", "my.inbox", nil); err != nil {
		t.Fatal(err)
	}
	<-came
	stopped := make(chan error, 1)
	go func() { stopped <- stop(bustest.Context(t)) }()
	close(answer)
	if err := bustest.Receive(t, stopped, "end of stop"); err != nil {
		t.Errorf("stop = %v", err)
	}
	if got := bustest.Receive(t, replies, "answer"); string(got.Data) != "answered" {
		t.Errorf("answer = %q, want answered", got.Data)
	}
}

func TestServeRefusesABadOperation(t *testing.T) {
	t.Parallel()
	b := bustest.Connect(t, bustest.Server(t))
	if _, err := b.Serve(t.Context(), "v1", map[string]bus.Handler{"not a name": nil}); err == nil {
		t.Error("Serve of \"not a name\" succeeded, want an error")
	}
}
