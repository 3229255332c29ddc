package index

import (
	"errors"
	"io"
	"net"
	"net/url"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/test/testpostgres"
	"github.com/helve-dev/helve/internal/test/testtime"
)

// nobody returns a loopback address that nobody listens on.
func nobody(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// states collects what Options.State is told.
func states() (chan error, func(error)) {
	told := make(chan error, 16)
	return told, func(err error) { told <- err }
}

func next(t *testing.T, told <-chan error) error {
	t.Helper()
	select {
	case err := <-told:
		return err
	case <-time.After(testtime.Patience()):
		t.Fatal("the state did not change")
		return nil
	}
}

// TestPostgresAway: an index whose server is away opens, says so once, and answers
// with [audit.ErrIndex].
func TestPostgresAway(t *testing.T) {
	core, logged := observer.New(zapcore.WarnLevel)
	told, state := states()
	x := open(t, Options{URL: "postgres://helve:hush-hush@" + nobody(t) + "/helve", Log: zap.New(core), State: state})
	s := newStream()
	s.store("acme", records(t, 10)...)
	run(t, x, s)
	if err := next(t, told); err == nil {
		t.Error("the state is fine without a server")
	}
	if _, err := x.Query(t.Context(), audit.Query{Tenant: "acme"}); !errors.Is(err, audit.ErrIndex) {
		t.Errorf("Query = %v, want %v", err, audit.ErrIndex)
	}
	if n := logged.FilterMessageSnippet("copy failed").Len(); n != 1 {
		t.Errorf("%d lines about it, want one", n)
	}
}

// TestPostgresComesLater: the index is opened without its server, and has every record
// once that is there.
func TestPostgresComesLater(t *testing.T) {
	server, err := url.Parse(testpostgres.New(t))
	if err != nil {
		t.Fatal(err)
	}
	network, address := "tcp", server.Host
	if dir := server.Query().Get("host"); dir != "" {
		network, address = "unix", dir+"/.s.PGSQL."+portOf(server)
	}
	at := nobody(t)
	later := *server
	later.Host = at
	values := later.Query()
	values.Del("host")
	values.Del("port")
	later.RawQuery = values.Encode()
	told, state := states()
	x := open(t, Options{URL: later.String(), State: state})
	s := newStream()
	s.store("acme", records(t, 100)...)
	run(t, x, s)
	if err := next(t, told); err == nil {
		t.Error("the state is fine without a server")
	}
	l, err := net.Listen("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial(network, address)
			if err != nil {
				in.Close()
				return
			}
			go func() { defer in.Close(); _, _ = io.Copy(in, out) }()
			go func() { defer out.Close(); _, _ = io.Copy(out, in) }()
		}
	}()
	if err := next(t, told); err != nil {
		t.Errorf("the state is %v with a server", err)
	}
	reached(t, x, s.last)
	holds(t, x, s)
}

func portOf(server *url.URL) string {
	if port := server.Query().Get("port"); port != "" {
		return port
	}
	if port := server.Port(); port != "" {
		return port
	}
	return "5432"
}
