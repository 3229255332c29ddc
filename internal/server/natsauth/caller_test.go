package natsauth

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/synadia-io/orbit.go/natscontext"
)

// caller is a connection with one credential.
type caller struct{ *nats.Conn }

// as connects with the credential whose files have this name.
func (s *system) as(t *testing.T, file string) caller {
	t.Helper()
	nc, _, err := natscontext.Connect(s.dir+"/contexts/"+file+".json", nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	if err != nil {
		t.Fatalf("connect as %s: %v", file, err)
	}
	t.Cleanup(nc.Close)
	return caller{nc}
}

// api asks for an operation of a tenant and returns the answer.
func (c caller) api(t *testing.T, tenant, operation, body string) map[string]any {
	t.Helper()
	msg, err := c.Request("helve.v1."+tenant+".api."+operation, []byte(body), patience())
	if err != nil {
		t.Fatalf("%s: %v (%v)", operation, err, c.LastError())
	}
	if why := msg.Header.Get("Nats-Service-Error"); why != "" {
		t.Fatalf("%s %.200s: %s", operation, body, why)
	}
	var answer map[string]any
	if err := json.Unmarshal(msg.Data, &answer); err != nil {
		t.Fatalf("%s answered %.200q: %v", operation, msg.Data, err)
	}
	return answer
}

// call executes one call and returns its result element.
func (c caller) call(t *testing.T, tenant, request string) map[string]any {
	t.Helper()
	results, _ := c.api(t, tenant, "execute", request)["results"].([]any)
	if len(results) != 1 {
		t.Fatalf("execute answered %d results, want 1", len(results))
	}
	element, _ := results[0].(map[string]any)
	return element
}

// settled returns the result of a call once it is done.
func (c caller) settled(t *testing.T, tenant, callID string) (element map[string]any) {
	t.Helper()
	until(t, callID+" is done", func() bool {
		element = c.got(t, tenant, callID)
		return element["state"] == "done"
	})
	return element
}

// runs waits until a call is seen to run: on a busy machine its worker may not answer the first look.
func (c caller) runs(t *testing.T, tenant, callID string) {
	t.Helper()
	until(t, callID+" runs", func() bool { return c.got(t, tenant, callID)["state"] == "running" })
}

// got returns a call. While the index is behind, on a busy machine, it is asked for again.
func (c caller) got(t *testing.T, tenant, callID string) (call map[string]any) {
	t.Helper()
	until(t, callID+" is returned", func() bool {
		msg, err := c.Request("helve.v1."+tenant+".api.calls.get", []byte(`{"call_id": "`+callID+`"}`), patience())
		if err != nil {
			t.Fatalf("calls.get: %v (%v)", err, c.LastError())
		}
		switch why := msg.Header.Get("Nats-Service-Error"); {
		case msg.Header.Get("Nats-Service-Error-Code") == "503":
			return false
		case why != "":
			t.Fatalf("calls.get %s: %s", callID, why)
		}
		if err := json.Unmarshal(msg.Data, &call); err != nil {
			t.Fatalf("calls.get answered %.200q: %v", msg.Data, err)
		}
		return true
	})
	return call
}

// listen subscribes, and returns once the server knows.
func (c caller) listen(t *testing.T, subject string) *nats.Subscription {
	t.Helper()
	sub, err := c.SubscribeSync(subject)
	if err := errors.Join(err, c.FlushTimeout(patience())); err != nil {
		t.Fatal(err)
	}
	if c.wasRefused(subject) {
		t.Fatalf("listening to %s was refused", subject)
	}
	return sub
}

func next(t *testing.T, sub *nats.Subscription) *nats.Msg {
	t.Helper()
	msg, err := sub.NextMsg(patience())
	if err != nil {
		t.Fatalf("nothing came on %s: %v", sub.Subject, err)
	}
	return msg
}

// wasRefused reports whether the last thing the server refused was about this
// subject. It says so before it answers a flush.
func (c caller) wasRefused(subject string) bool {
	err := c.LastError()
	return errors.Is(err, nats.ErrPermissionViolation) && strings.Contains(err.Error(), `"`+subject+`"`)
}

// forbidden lists subjects to which no role may publish.
const forbidden = "nobody.may.publish.here"

// refusesPublish tries to publish and reports whether the server refuses.
func (c caller) refusesPublish(t *testing.T, m *nats.Msg) bool {
	t.Helper()
	// The first is refused for certain, so that an earlier refusal of this
	// subject is not taken for one of now.
	if err := errors.Join(c.Publish(forbidden, nil), c.PublishMsg(m), c.FlushTimeout(patience())); err != nil {
		t.Fatalf("publish to %s: %v", m.Subject, err)
	}
	return c.wasRefused(m.Subject)
}

// refusesSubscribe is the same for listening.
func (c caller) refusesSubscribe(t *testing.T, subject string) bool {
	t.Helper()
	err := c.Publish(forbidden, nil)
	sub, wrong := c.SubscribeSync(subject)
	if err := errors.Join(err, wrong, c.FlushTimeout(patience())); err != nil {
		t.Fatalf("subscribe to %s: %v", subject, err)
	}
	refused := c.wasRefused(subject)
	_ = sub.Unsubscribe() // the server has dropped it already if it refused
	return refused
}

// until looks again and again until ok; the test fails if it never is.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	late := time.After(patience())
	for !ok() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("after %v still not: %s", patience(), what)
		}
	}
}
