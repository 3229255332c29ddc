package netguard

import (
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

// raw starts a server that answers every connection with text and hangs up.
func raw(t *testing.T, text string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		<-done
	})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 4096))
			_, _ = io.WriteString(conn, text)
			_ = conn.Close()
		}
	}()
	return l.Addr().String()
}

func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return l.Addr().String()
}

func TestDoExplains(t *testing.T) {
	secure := httptest.NewUnstartedServer(http.HandlerFunc(hello))
	secure.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError) // it reports our refusal
	secure.StartTLS()
	t.Cleanup(secure.Close)
	refused := closedPort(t)
	plain := serve(t, hello)
	for _, tt := range []struct {
		name, scheme, at, part string
	}{
		{"refused", "http", refused, "Connection refused: http://" + refused + "/x?q=1"},
		{"certificate", "https", secure.Listener.Addr().String(), "TLS failed with " + secure.Listener.Addr().String() + ": x509:"},
		{"not TLS", "https", plain, "HTTP request failed: the server at " + plain + " answered without TLS; "},
		{"not HTTP", "http", raw(t, "220 mail ready\r\n"), "is not HTTP that can be read; check the address"},
		{"hung up", "http", raw(t, ""), "closed the connection before it answered; try again, or check the address and https or http"},
		{"huge header", "http", raw(t, "HTTP/1.1 200 OK\r\nX: "+strings.Repeat("x", maxHeaders)+"\r\n\r\n"), "is not HTTP that can be read"},
		{
			"cut body", "http", raw(t, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"),
			"closed the connection in the middle of its answer; try again",
		},
		{
			"bad gzip", "http", raw(t, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 12\r\n\r\nnot gzip at "),
			"is damaged; try again",
		},
	} {
		g := open(t, Options{Allow: []string{"127.0.0.1"}})
		_, err := get(t, g, tt.scheme+"://"+tt.at+"/x?q=1")
		wantError(t, tt.name, err, tool.NetworkError, tt.part)
		if e, ok := errors.AsType[*tool.Error](err); ok &&
			(strings.Contains(e.Msg, "->") || strings.Contains(e.Msg, "net/http") || strings.Contains(e.Msg, "EOF")) {
			t.Errorf("%s: the message shows our own address or the words of Go: %s", tt.name, e.Msg)
		}
	}
}
