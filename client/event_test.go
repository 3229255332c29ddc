package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const trace = "0af7651916cd43dd8448eb211c80319c"

func eventJSON(kind string) string {
	return fmt.Sprintf(`{"type":%q,"time":"2026-11-20T12:00:00.5Z","trace_id":%q,"call_id":"c1","tool":"x","data":{"n":1}}`, kind, trace)
}

func wantEvent(id, kind string) Event {
	return Event{
		ID: id, Type: kind, Time: time.Date(2026, 11, 20, 12, 0, 0, 5e8, time.UTC),
		TraceID: trace, CallID: "c1", Tool: "x", Data: []byte(`{"n":1}`),
	}
}

// streams serves events; each connection gets the next of parts and is then cut,
// the last one stays open. It notes what each resumed after.
func streams(t *testing.T, parts ...string) (url string, after *[]string) {
	t.Helper()
	after = new([]string)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/events" || r.URL.Query().Get("trace_id") != trace {
			t.Errorf("asked for %s, want the events of the trace", r.URL)
		}
		n := len(*after)
		*after = append(*after, r.Header.Get("Last-Event-ID"))
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, parts[min(n, len(parts)-1)])
		w.(http.Flusher).Flush()
		if n >= len(parts)-1 {
			<-r.Context().Done()
		}
	}))
	t.Cleanup(srv.Close)
	return srv.URL, after
}

func sse(id, kind string) string {
	return "id: " + id + "\nevent: " + kind + "\ndata: " + eventJSON(kind) + "\n\n"
}

func TestEventsOverHTTP(t *testing.T) {
	url, _ := streams(t, ": hello\r\n\r\nretry: 5\n\n"+strings.ReplaceAll(sse("1", "queued"), "\n", "\r\n")+sse("2", "done"))
	c := connect(t, &far{url: url})
	var got []Event
	for e, err := range c.Events(t.Context(), trace) {
		if err != nil {
			t.Fatal(err)
		}
		if got = append(got, e); len(got) == 2 {
			break
		}
	}
	if diff := cmp.Diff([]Event{wantEvent("1", "queued"), wantEvent("2", "done")}, got); diff != "" {
		t.Errorf("Events (-want +got):\n%s", diff)
	}
}

func TestEventsResume(t *testing.T) {
	url, after := streams(t, sse("1", "queued"), sse("2", "started")+"id: 3\ndata: {", sse("3", "done"))
	var got []string
	for e, err := range connect(t, &far{url: url}, WithRetry()).Events(t.Context(), trace) {
		if err != nil {
			t.Fatal(err)
		}
		if got = append(got, e.ID); len(got) == 3 {
			break
		}
	}
	if diff := cmp.Diff([]string{"1", "2", "3"}, got); diff != "" {
		t.Errorf("ids of Events (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"", "1", "2"}, *after); diff != "" {
		t.Errorf("resumed after (-want +got):\n%s", diff)
	}
}

func TestEventsFail(t *testing.T) {
	cut, _ := streams(t, sse("1", "queued"), "")
	garbage, _ := streams(t, "data: nonsense\n\n", "")
	refuses := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		io.WriteString(w, `{"error_type":"bad_request","detail":"no such trace"}`)
	}))
	defer refuses.Close()
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello") }))
	defer page.Close()
	for _, tt := range []struct{ url, trace, want string }{
		{cut, trace, "the event stream ended"},
		{garbage, trace, "an event that is not Helve's"},
		{refuses.URL, trace, "bad_request: no such trace"},
		{page.URL, trace, "is it a Helve server?"},
		{"http://" + closedPort(t), trace, "cannot reach"},
		{cut, "ABC", `bad_request: trace_id "ABC" must be 32 lower-case hex digits`},
	} {
		var failed error
		for _, err := range connect(t, &far{url: tt.url}).Events(t.Context(), tt.trace) {
			if failed != nil {
				t.Errorf("Events of %s go on after an error", tt.url)
			}
			failed = err
		}
		if failed == nil || !strings.Contains(failed.Error(), tt.want) {
			t.Errorf("Events end with %v, want %s", failed, tt.want)
		}
	}
}

func TestEventsOverNATS(t *testing.T) {
	f := farNATS(t, always(`{}`))
	c := connect(t, f, WithTenant("acme"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	events := c.Events(ctx, trace)
	for _, subject := range []string{
		"acme.event." + trace + ".c1", "other.event." + trace + ".c1", "acme.event." + strings.Repeat("0", 32) + ".c1",
	} {
		f.nc.Publish("helve.v1."+subject, []byte(eventJSON("started")))
	}
	f.nc.Publish("helve.v1.acme.event."+trace+".c2", []byte(eventJSON("done")))
	var got []Event
	for e, err := range events {
		if err != nil {
			t.Fatal(err)
		}
		if got = append(got, e); len(got) == 2 {
			cancel() // ends the sequence without an error
		}
	}
	if diff := cmp.Diff([]Event{wantEvent("", "started"), wantEvent("", "done")}, got); diff != "" {
		t.Errorf("Events (-want +got):\n%s", diff)
	}
	if n := c.via.(*natsTransport).nc.NumSubscriptions(); n != 0 {
		t.Errorf("%d subscriptions are left, want none", n)
	}
}

func TestEventsUnread(t *testing.T) {
	c := connect(t, farNATS(t, always(`{}`)))
	ctx, cancel := context.WithCancelCause(t.Context())
	events := c.Events(ctx, trace)
	cancel(errors.New("done"))
	for _, err := range events {
		t.Errorf("Events of an ended context yield %v", err)
	}
}
