package httpapi

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/internal/test/testtime"
)

// A body that dribbles in is not waited for, whether it is read or not.
func TestSlowBody(t *testing.T) {
	s := serve(t, &calls{execute: echo}, Options{BodyTime: 50 * time.Millisecond})
	for name, want := range map[string]string{
		"Host: localhost":    "HTTP/1.1 408 ",
		"Host: evil.example": "HTTP/1.1 403 ", // nobody reads it
	} {
		conn, err := net.Dial("tcp", s.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if err := conn.SetDeadline(time.Now().Add(testtime.Patience())); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "POST /v1/execute HTTP/1.1\r\n%s\r\nContent-Length: 1000\r\n\r\n{", name)
		if answer, err := io.ReadAll(conn); err != nil || !strings.HasPrefix(string(answer), want) {
			t.Errorf("a slow body to %s is answered %s, %v, want %s and the end of the connection", name, answer, err, want)
		}
	}
	if r := s.send(http.MethodPost, "/v1/execute", `{"calls":[{"tool":"a","arguments":{}}]}`); r.status != 200 {
		t.Errorf("beside it, execute = %d %s", r.status, r.body)
	}
}

// The time for a body is not the time for the answer: when it is over, nobody is
// told that the client has hung up.
func TestSlowAnswer(t *testing.T) {
	s := serve(t, &calls{execute: func(ctx context.Context, req dispatch.Request) (dispatch.Response, error) {
		<-time.After(300 * time.Millisecond)
		return echo(ctx, req)
	}}, Options{BodyTime: 50 * time.Millisecond})
	ended := make(chan error, 1)
	inner := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inner.ServeHTTP(w, r)
		ended <- r.Context().Err()
	})
	r := s.send(http.MethodPost, "/v1/execute", `{"calls":[{"tool":"a","arguments":{}}]}`)
	if err := <-ended; r.status != 200 || err != nil {
		t.Errorf("a slow answer = %d %s, its context ended with %v", r.status, r.body, err)
	}
}
