package peer_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
)

// refusal is an error with a code.
type refusal struct{ code int }

func (r refusal) Error() string { return fmt.Sprint("refused with ", r.code) }

func (r refusal) Fault() (int, string, []byte) {
	return r.code, "no tool of that name", []byte(`{"a":1}`)
}

// served returns a caller's connection to a queue that answers a few operations.
func served(t *testing.T) (*nats.Conn, func(context.Context) error) {
	t.Helper()
	srv := queuetest.Server(t)
	q := queuetest.Connect(t, srv)
	stop, err := q.API.Serve(t.Context(), "v1.2.3", map[string]peer.Handler{
		"tools.list": func(_ context.Context, from peer.Asker, body []byte, header func(string) string) ([]byte, error) {
			return fmt.Appendf(nil, "%s|%s|%s", from.Tenant+from.Person, body, header("traceparent")), nil
		},
		"tools.get": func(context.Context, peer.Asker, []byte, func(string) string) ([]byte, error) {
			return nil, fmt.Errorf("wrapped: %w", refusal{404})
		},
		"events": func(context.Context, peer.Asker, []byte, func(string) string) ([]byte, error) {
			return nil, errors.New("something broke")
		},
		"calls.get": func(context.Context, peer.Asker, []byte, func(string) string) ([]byte, error) {
			return make([]byte, q.Conn.MaxPayload()+1), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Check(queuetest.Context(t)); err != nil {
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
	reply, err := nc.RequestMsgWithContext(queuetest.Context(t), msg)
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
		if got := string(request(t, nc, "helve.v1."+tenant+".as.ann.api.tools.list").Data); got != tenant+"ann|body|00-x" {
			t.Errorf("answer = %q, want tenant %s, the person, body and header", got, tenant)
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
	if err := json.Unmarshal(request(t, nc, "$SRV.INFO."+peer.ServiceName).Data, &info); err != nil {
		t.Fatal(err)
	}
	if info.Name != "helve-dispatcher" || info.Version != "1.2.3" || len(info.Endpoints) != 8 {
		t.Errorf("$SRV.INFO = %+v, want helve-dispatcher 1.2.3 with 8 endpoints, two for each operation", info)
	}
	found := false
	for _, e := range info.Endpoints {
		found = found || e.Subject == "helve.v1.*.api.tools.list" && e.QueueGroup == peer.ServiceName
	}
	if !found {
		t.Errorf("endpoints = %+v, want tools.list in the queue group", info.Endpoints)
	}
	if err := stop(queuetest.Context(t)); err != nil {
		t.Errorf("stop = %v", err)
	}
	queuetest.Until(t, "nobody takes requests", func() bool {
		_, err := nc.Request("helve.v1.acme.api.tools.list", nil, time.Second)
		return errors.Is(err, nats.ErrNoResponders)
	})
}

// TestStopWaitsForWhatIsBeingAnswered: stopping waits for the requests in progress, until
// its context ends.
func TestStopWaitsForWhatIsBeingAnswered(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	q := queuetest.Connect(t, srv)
	came, answer := make(chan struct{}), make(chan struct{})
	stop, err := q.API.Serve(t.Context(), "dev", map[string]peer.Handler{
		"execute": func(context.Context, peer.Asker, []byte, func(string) string) ([]byte, error) {
			close(came)
			<-answer
			return []byte("answered"), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Check(queuetest.Context(t)); err != nil {
		t.Fatal(err)
	}
	caller := queuetest.Connect(t, srv).Conn.JetStream().Conn()
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
	go func() { stopped <- stop(queuetest.Context(t)) }()
	close(answer)
	if err := queuetest.Receive(t, stopped, "end of stop"); err != nil {
		t.Errorf("stop = %v", err)
	}
	if got := queuetest.Receive(t, replies, "answer"); string(got.Data) != "answered" {
		t.Errorf("answer = %q, want answered", got.Data)
	}
}

func TestServeRefusesABadOperation(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	if _, err := q.API.Serve(t.Context(), "v1", map[string]peer.Handler{"not a name": nil}); err == nil {
		t.Error("Serve of \"not a name\" succeeded, want an error")
	}
}

// TestStopAnswersWhatWasSent: requests that the server sent to a service before it stopped
// are answered, and none is refused.
func TestStopAnswersWhatWasSent(t *testing.T) {
	t.Parallel()
	const many = 5000
	nc, stop := served(t)
	answers := make(chan *nats.Msg, many)
	if _, err := nc.ChanSubscribe("answers.*", answers); err != nil {
		t.Fatal(err)
	}
	for i := range many {
		if err := nc.PublishRequest("helve.v1.acme.api.tools.list", fmt.Sprint("answers.", i), []byte("{}")); err != nil {
			t.Fatal(err)
		}
	}
	if err := nc.Flush(); err != nil { // the server has sent them all
		t.Fatal(err)
	}
	if err := stop(queuetest.Context(t)); err != nil {
		t.Fatal(err)
	}
	for range many {
		if m := queuetest.Receive(t, answers, "answer"); m.Header.Get(micro.ErrorHeader) != "" {
			t.Fatalf("a request was answered with %q", m.Header.Get(micro.ErrorHeader))
		}
	}
}
