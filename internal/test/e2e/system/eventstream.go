package system

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"testing"
)

// EventStream is a stream of server-sent events.
type EventStream struct {
	// Scan reads the lines of the stream.
	Scan *bufio.Scanner
	t    testing.TB
}

// Follow opens the event stream of a trace. It returns when the headers have arrived.
func (d HTTPDoor) Follow(t testing.TB, tenant, trace, after string) *EventStream {
	t.Helper()
	req, err := http.NewRequestWithContext(Context(t), http.MethodGet, d.URL+"/v1/events?trace_id="+trace, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Helve-Tenant", tenant)
	if after != "" {
		req.Header.Set("Last-Event-ID", after)
	}
	res, err := d.Client.Do(req)
	if err != nil {
		t.Fatalf("no event stream of %s: %v", trace, err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("events = %d %s, want 200 text/event-stream", res.StatusCode, res.Header.Get("Content-Type"))
	}
	scan := bufio.NewScanner(res.Body)
	scan.Buffer(nil, 1<<20)
	return &EventStream{Scan: scan, t: t}
}

// Next waits for the next event and returns it.
func (s *EventStream) Next() Event {
	s.t.Helper()
	var e Event
	for s.Scan.Scan() {
		field, value, _ := bytes.Cut(s.Scan.Bytes(), []byte(": "))
		switch string(field) {
		case "event":
			e.Name = string(value)
		case "id":
			e.ID = string(value)
		case "data":
			if err := json.Unmarshal(value, &e); err != nil {
				s.t.Fatalf("data %s: %v", value, err)
			}
		case "":
			if e.Name != "" {
				return e
			}
		}
	}
	s.t.Fatalf("waited in vain for one more server-sent event: %v", s.Scan.Err())
	return e
}

// Until reads up to the first event of that type, and returns all events read.
func (s *EventStream) Until(kind string) []Event {
	s.t.Helper()
	for all := []Event(nil); ; {
		e := s.Next()
		if all = append(all, e); e.Type == kind {
			return all
		}
	}
}
