package client

import (
	"errors"
	"net"
	"net/url"
	"testing"
)

// TestGreetingOfNATS: an answer that came before the request names no server, so the client looks
// what the address greets with.
func TestGreetingOfNATS(t *testing.T) {
	t.Parallel()
	early := &url.Error{Op: "Post", Err: errors.New("readLoopPeekFailLocked: %!w(<nil>)")}
	for greets, want := range map[string]bool{"INFO {\"server_id\":\"x\"}\r\n": true, "220 mail.example ESMTP\r\n": false} {
		l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			if conn, err := l.Accept(); err == nil {
				_, _ = conn.Write([]byte(greets))
				_ = conn.Close()
			}
		}()
		if got := errors.Is(unreachable("http://"+l.Addr().String(), early), errNATS); got != want {
			t.Errorf("a server that greets with %q is NATS: %v, want %v", greets, got, want)
		}
		_ = l.Close()
	}
}
