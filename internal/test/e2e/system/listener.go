package system

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/test/testtime"
)

// Event is one event of the protocol.
type Event struct {
	Type    string          `json:"type"`
	Time    time.Time       `json:"time"`
	TraceID string          `json:"trace_id"`
	CallID  string          `json:"call_id"`
	Tool    string          `json:"tool"`
	Data    json.RawMessage `json:"data"`

	// ID and Name are those of the SSE frame.
	ID   string `json:"-"`
	Name string `json:"-"`
}

// Listener receives the events of a tenant over NATS.
type Listener struct {
	// Heard are the events received so far.
	Heard []Event
	// Raw is called with each event in its raw form, if it is not nil.
	Raw func(data []byte)

	t      testing.TB
	events chan *nats.Msg
}

// Listen subscribes to the events of a tenant.
func (s *System) Listen(t testing.TB, tenant string) *Listener {
	t.Helper()
	l := &Listener{t: t, events: make(chan *nats.Msg, 1<<16)}
	sub, err := s.Conn.ChanSubscribe("helve.v1."+tenant+".event.>", l.events)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Conn.Flush(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sub.Unsubscribe() })
	return l
}

// Next waits for one more event and returns it.
func (l *Listener) Next() Event {
	l.t.Helper()
	return l.wait("one more event", func(Event) bool { return true })
}

// Until waits for an event of that type of the call and returns it, even if it was received
// before.
func (l *Listener) Until(kind, callID string) Event {
	l.t.Helper()
	wanted := func(e Event) bool { return e.Type == kind && e.CallID == callID }
	if i := slices.IndexFunc(l.Heard, wanted); i >= 0 {
		return l.Heard[i]
	}
	return l.wait("the event "+kind+" of "+callID, wanted)
}

// First waits for an event of that type of any call and returns it.
func (l *Listener) First(kind string) Event {
	l.t.Helper()
	return l.wait("an event "+kind, func(e Event) bool { return e.Type == kind })
}

// Count returns the number of events of that type received for the call.
func (l *Listener) Count(kind, callID string) (n int) {
	for _, e := range l.Heard {
		if e.Type == kind && e.CallID == callID {
			n++
		}
	}
	return n
}

// wait receives events up to the first wanted one and returns that.
func (l *Listener) wait(what string, wanted func(Event) bool) Event {
	l.t.Helper()
	end := time.NewTimer(testtime.Patience())
	defer end.Stop()
	for {
		select {
		case <-end.C:
			l.t.Fatalf("waited in vain for %s, after %v", what, l.Heard)
		case msg := <-l.events:
			if e := l.read(msg); wanted(e) {
				return e
			}
		}
	}
}

// read decodes one event.
func (l *Listener) read(msg *nats.Msg) (e Event) {
	l.t.Helper()
	if l.Raw != nil {
		l.Raw(msg.Data)
	}
	if err := json.Unmarshal(msg.Data, &e); err != nil {
		l.t.Fatalf("event %s: %v", msg.Data, err)
	}
	if want := ".event." + e.TraceID + "." + e.CallID; !strings.HasSuffix(msg.Subject, want) {
		l.t.Errorf("the event %s came on %s, want …%s", msg.Data, msg.Subject, want)
	}
	l.Heard = append(l.Heard, e)
	return e
}
