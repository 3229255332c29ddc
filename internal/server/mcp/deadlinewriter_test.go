package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
)

// talkative is a platform whose calls return much and report all the time.
type talkative struct {
	Platform

	result json.RawMessage
}

func (p talkative) Tools(context.Context, Caller) ([]*tool.Definition, error) { return nil, nil }

func (p talkative) Cancel(context.Context, Caller, string) error { return nil }

func (p talkative) Execute(_ context.Context, _ Caller, call Call) (Outcome, error) {
	return Outcome{CallID: call.ID, Tool: call.Tool, Status: success, Result: p.result}, nil
}

func (p talkative) Events(ctx context.Context, _ Caller, _ string, yield func(Event) bool) error {
	for ctx.Err() == nil && yield(Event{Type: "progress", CallID: p.call(), Data: p.result}) {
		continue
	}
	return ctx.Err()
}

func (p talkative) call() string { return "c1" }

// TestClientThatNeverReads: it holds neither the server nor its memory, with a large
// answer or an endless stream.
func TestClientThatNeverReads(t *testing.T) {
	huge, _ := json.Marshal(strings.Repeat("x", 16<<20))
	for name, c := range map[string]struct {
		result json.RawMessage
		meta   string
	}{
		"a large answer":       {huge, ""},
		"a large answer, long": {huge, `,"_meta":{"x":"` + "\\ud800" + `"}`}, // only the SDK reads that
		"reports":              {json.RawMessage(`"` + strings.Repeat("y", 1<<20) + `"`), `,"_meta":{"progressToken":1}`},
	} {
		t.Run(name, func(t *testing.T) {
			s := New(talkative{result: c.result}, Options{Patience: 100 * time.Millisecond, NewID: func() string { return "c1" }})
			ended := make(chan struct{})
			h := s.Handler(1 << 20)
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				defer close(ended)
				h.ServeHTTP(w, r)
			}))
			defer srv.Close()
			conn, err := net.Dial("tcp", srv.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"` + c.meta + `}}`
			fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"+
				"Mcp-Protocol-Version: 2025-11-25\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
			<-ended
		})
	}
}

// TestSlowBody: who sends a request bit by bit is answered when the time is over, and
// its connection is closed.
func TestSlowBody(t *testing.T) {
	s := New(talkative{}, Options{BodyTime: 50 * time.Millisecond})
	srv := httptest.NewServer(s.Handler(1 << 20))
	defer srv.Close()
	conn, err := net.Dial("tcp", srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{")
	said, err := io.ReadAll(conn) // which ends with the connection
	if err != nil || !strings.HasPrefix(string(said), "HTTP/1.1 400 ") || !strings.Contains(string(said), "longer than 50ms") {
		t.Errorf("the slow client was answered %q, %v", said, err)
	}
}
