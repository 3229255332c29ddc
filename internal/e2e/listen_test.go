package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// event is one event of the protocol.
type event struct {
	Type    string          `json:"type"`
	Time    time.Time       `json:"time"`
	TraceID string          `json:"trace_id"`
	CallID  string          `json:"call_id"`
	Tool    string          `json:"tool"`
	Data    json.RawMessage `json:"data"`

	id, name string // of the SSE frame
}

// listener hears the events of a tenant over NATS.
type listener struct {
	t      testing.TB
	events chan *nats.Msg
	heard  []event
	raw    func(data []byte) // hears each event as it came, where it is not nil
}

func (s *system) listen(t testing.TB, tenant string) *listener {
	t.Helper()
	l := &listener{t: t, events: make(chan *nats.Msg, 1<<16)}
	sub, err := s.nc.ChanSubscribe("helve.v1."+tenant+".event.>", l.events)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.nc.Flush(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sub.Unsubscribe() })
	return l
}

// next waits for one more event and returns it.
func (l *listener) next() event {
	l.t.Helper()
	end := time.NewTimer(patience)
	defer end.Stop()
	var e event
	select {
	case <-end.C:
		l.t.Fatalf("waited in vain for an event after %v", l.heard)
	case msg := <-l.events:
		if l.raw != nil {
			l.raw(msg.Data)
		}
		if err := json.Unmarshal(msg.Data, &e); err != nil {
			l.t.Fatalf("event %s: %v", msg.Data, err)
		}
		if want := ".event." + e.TraceID + "." + e.CallID; !strings.HasSuffix(msg.Subject, want) {
			l.t.Errorf("the event %s came on %s, want …%s", msg.Data, msg.Subject, want)
		}
		l.heard = append(l.heard, e)
	}
	return e
}

// until waits for an event of that type of the call and returns it.
func (l *listener) until(kind, callID string) event {
	l.t.Helper()
	for _, e := range l.heard {
		if e.Type == kind && e.CallID == callID {
			return e
		}
	}
	for {
		if e := l.next(); e.Type == kind && e.CallID == callID {
			return e
		}
	}
}

// first waits for an event of that type of any call and returns it.
func (l *listener) first(kind string) event {
	l.t.Helper()
	for {
		if e := l.next(); e.Type == kind {
			return e
		}
	}
}

// count is how many events of that type of the call were heard so far.
func (l *listener) count(kind, callID string) (n int) {
	for _, e := range l.heard {
		if e.Type == kind && e.CallID == callID {
			n++
		}
	}
	return n
}

// stream is server-sent events.
type stream struct {
	t    testing.TB
	res  *http.Response
	scan *bufio.Scanner
}

// follow opens the event stream of a trace. It returns when its headers are
// there.
func (d httpDoor) follow(t testing.TB, tenant, trace, after string) *stream {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.url+"/v1/events?trace_id="+trace, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Helve-Tenant", tenant)
	if after != "" {
		req.Header.Set("Last-Event-ID", after)
	}
	res, err := d.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sync.OnceFunc(func() { cancel(); _ = res.Body.Close() }))
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("events = %d %s, want 200 text/event-stream", res.StatusCode, res.Header.Get("Content-Type"))
	}
	scan := bufio.NewScanner(res.Body)
	scan.Buffer(nil, 1<<20)
	return &stream{t: t, res: res, scan: scan}
}

// next returns the next event.
func (s *stream) next() event {
	s.t.Helper()
	var e event
	for s.scan.Scan() {
		field, value, _ := bytes.Cut(s.scan.Bytes(), []byte(": "))
		switch string(field) {
		case "event":
			e.name = string(value)
		case "id":
			e.id = string(value)
		case "data":
			if err := json.Unmarshal(value, &e); err != nil {
				s.t.Fatalf("data %s: %v", value, err)
			}
		case "":
			if e.name != "" {
				return e
			}
		}
	}
	s.t.Fatalf("the stream ended: %v", s.scan.Err())
	return e
}

// until reads up to the first event of that type, and returns all it read.
func (s *stream) until(kind string) []event {
	s.t.Helper()
	for all := []event(nil); ; {
		e := s.next()
		if all = append(all, e); e.Type == kind {
			return all
		}
	}
}
