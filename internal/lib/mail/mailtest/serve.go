package mailtest

import (
	"bytes"
	"context"
	"crypto/tls"
	"net"
	"sync"
	"testing"

	"github.com/helve-dev/helve/tool"
)

// serve starts a server on a free port of 127.0.0.1, and waits for its end at that of the test.
func serve(tb testing.TB, run func(net.Listener) error, a *Authority, tlsFromStart bool) (host, port string) {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	host, port, err = net.SplitHostPort(l.Addr().String())
	if err != nil {
		tb.Fatal(err)
	}
	if tlsFromStart {
		l = tls.NewListener(l, a.Server)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = run(l) // it ends with the listener
	}()
	tb.Cleanup(func() {
		_ = l.Close() // the server may have closed it
		<-ended
	})
	return host, port
}

// Script starts a server that talks to each connection with a function, and returns its
// address. It waits for all conversations at the end of the test, whose connections are
// closed then.
func Script(tb testing.TB, talk func(conn net.Conn)) (host, port string) {
	tb.Helper()
	var all sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	tb.Cleanup(all.Wait)
	tb.Cleanup(cancel)
	return serve(tb, func(l net.Listener) error {
		for {
			conn, err := l.Accept()
			if err != nil {
				return err
			}
			all.Go(func() {
				stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
				defer stop()
				defer func() { _ = conn.Close() }()
				talk(conn)
			})
		}
	}, nil, false)
}

// Secrets are entries of services, by name.
type Secrets map[string][]tool.ServiceEntry

// Entries implements [tool.Secrets]. The service "waits" has an error.
func (s Secrets) Entries(_ context.Context, service string) ([]tool.ServiceEntry, error) {
	if service == "waits" {
		return nil, ErrWaits
	}
	return s[service], nil
}

// ErrWaits is the error of an account that a person has not connected yet.
var ErrWaits = tool.Fail(tool.ConfirmationRequired, "the account is not connected yet")

// Entry returns an active entry of the tenant with pairs of field and value.
func Entry(pairs ...string) tool.ServiceEntry {
	e := tool.ServiceEntry{Label: "default", Default: true, Active: true, Shared: true, Data: map[string]string{}}
	for i := 0; i+1 < len(pairs); i += 2 {
		e.Data[pairs[i]] = pairs[i+1]
	}
	return e
}

// xoauth2 is the server's side of XOAUTH2.
type xoauth2 struct {
	check   func(user string) error
	refused error
}

// Next implements [sasl.Server].
func (x *xoauth2) Next(response []byte) (challenge []byte, done bool, err error) {
	if len(response) == 0 {
		return nil, false, x.refused
	}
	user, rest, _ := bytes.Cut(bytes.TrimPrefix(response, []byte("user=")), []byte{1})
	if string(rest) != "auth=Bearer "+Token+"\x01\x01" {
		return []byte(`{"status":"401"}`), false, nil
	}
	return nil, true, x.check(string(user))
}
