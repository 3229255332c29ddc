package httpapi

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/internal/identity"
)

// listener is an open event stream.
type listener struct {
	*bufio.Reader

	status int
	header http.Header
	hangUp func() error
}

func (s server) listen(headers ...string) listener {
	s.t.Helper()
	req, err := http.NewRequest(http.MethodGet, s.URL+"/v1/events?trace_id="+trace, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	resp, err := s.Client().Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { resp.Body.Close() })
	return listener{bufio.NewReader(resp.Body), resp.StatusCode, resp.Header, resp.Body.Close}
}

// frame reads up to the empty line that ends an event or a comment.
func frame(t *testing.T, stream listener) string {
	t.Helper()
	var text strings.Builder
	for {
		line, err := stream.ReadString('\n')
		if err != nil {
			t.Fatalf("after %q the stream ended: %v", text.String(), err)
		}
		if line == "\n" {
			return text.String()
		}
		text.WriteString(line)
	}
}

func TestEvents(t *testing.T) {
	asked := make(chan string, 2)
	open := make(chan bool)
	s := serve(t, &calls{events: func(ctx context.Context, tenant, traceID, after string, yield func(dispatch.Event) error) error {
		asked <- tenant + " " + traceID + " " + after
		<-open
		return errors.Join(
			yield(dispatch.Event{ID: "7", Type: "started", Data: []byte(`{"type":"started"}`)}),
			yield(dispatch.Event{Type: "log", Data: []byte("{\r\n\"type\": \"log\"}")}),
		)
	}}, Options{})

	stream := s.listen("Helve-Tenant: t1", "Last-Event-ID: 6")
	// The headers are here although there is no event yet.
	if stream.status != 200 || stream.header.Get("Content-Type") != "text/event-stream" || stream.header.Get("Cache-Control") != "no-store" {
		t.Errorf("the answer begins with %d %v", stream.status, stream.header)
	}
	if got, want := <-asked, "t1 "+trace+" 6"; got != want {
		t.Errorf("Events was asked for %q, want %q", got, want)
	}
	close(open)
	for _, want := range []string{"event: started\nid: 7\ndata: {\"type\":\"started\"}\n", "event: log\ndata: {  \"type\": \"log\"}\n"} {
		if got := frame(t, stream); got != want {
			t.Errorf("the stream has %q, want %q", got, want)
		}
	}
	if rest, err := stream.ReadString(0); rest != "" {
		t.Errorf("the stream goes on with %q, %v", rest, err)
	}

	if r := s.send("HEAD", "/v1/events?trace_id="+trace, ""); r.status != 200 || len(asked) != 0 {
		t.Errorf("HEAD = %d and asked for %d streams", r.status, len(asked))
	}
}

func TestEventsKeepAlive(t *testing.T) {
	s := serve(t, &calls{events: untilDone}, Options{KeepAlive: time.Millisecond})
	stream := s.listen()
	for range 3 {
		if got := frame(t, stream); got != ": keep-alive\n" {
			t.Errorf("a silent stream has %q", got)
		}
	}
}

func untilDone(ctx context.Context, _, _, _ string, _ func(dispatch.Event) error) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestEventsEnd(t *testing.T) {
	draining := make(chan struct{})
	ended := make(chan bool, 2)
	s := serve(t, &calls{events: func(ctx context.Context, a, b, c string, y func(dispatch.Event) error) error {
		defer func() { ended <- true }()
		return untilDone(ctx, a, b, c, y)
	}}, Options{Draining: draining})

	if err := s.listen().hangUp(); err != nil {
		t.Error(err)
	}
	<-ended // the client hung up

	stream := s.listen()
	close(draining)
	<-ended // the server stops
	if rest, _ := stream.ReadString(0); rest != "" {
		t.Errorf("a drained stream has %q", rest)
	}
	if got := s.logs.Len(); got != 0 {
		t.Errorf("streams that end as they should log %v", s.logs.All())
	}
}

func TestEventsFailure(t *testing.T) {
	s := serve(t, &calls{events: func(context.Context, string, string, string, func(dispatch.Event) error) error {
		return errors.New("the secret cause")
	}}, Options{})
	stream := s.listen()
	if rest, _ := stream.ReadString(0); rest != "" {
		t.Errorf("a stream that failed has %q", rest)
	}
	if s.logs.FilterMessage("an event stream was cut").Len() != 1 {
		t.Errorf("the log has %v", s.logs.All())
	}
}

// A client that does not read loses its own stream, and only that.
func TestSlowReader(t *testing.T) {
	data := []byte(`{"data":"` + strings.Repeat("x", 64<<10) + `"}`)
	stuck := make(chan error, 1)
	const slow = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	s := serve(t, &calls{events: func(ctx context.Context, _, traceID, _ string, yield func(dispatch.Event) error) error {
		if traceID != slow {
			for n := range 100 {
				if err := yield(dispatch.Event{ID: fmt.Sprint(n), Type: "log", Data: data}); err != nil {
					return err
				}
			}
			return nil
		}
		for range 10_000 { // far more than all buffers hold
			if err := yield(dispatch.Event{ID: "1", Type: "log", Data: data}); err != nil {
				stuck <- err
				return err
			}
		}
		stuck <- nil
		return nil
	}}, Options{Patience: 300 * time.Millisecond})

	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET /v1/events?trace_id=%s HTTP/1.1\r\nHost: localhost\r\n\r\n", slow)

	stream := s.listen()
	for n := range 100 {
		if got, want := frame(t, stream), fmt.Sprintf("event: log\nid: %d\n", n); !strings.HasPrefix(got, want) {
			t.Fatalf("beside a slow reader event %d is %.60q", n, got)
		}
	}
	if err := <-stuck; err == nil {
		t.Error("the stream of a client that does not read was never cut")
	}
}

// A stream does not outlive the credential that opened it.
func TestEventsEndWithTheCredential(t *testing.T) {
	auth := withKey(t, "u", "", identity.User)
	s := serve(t, &calls{events: untilDone}, Options{Auth: auth.Authenticator, KeepAlive: time.Millisecond})
	stream := s.listen(auth.bearer)
	if got := frame(t, stream); got != ": keep-alive\n" {
		t.Errorf("the stream begins with %q", got)
	}
	if err := os.WriteFile(auth.path, []byte("[]"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, stream); err != nil {
		t.Errorf("the stream ends with %v", err)
	}
}
