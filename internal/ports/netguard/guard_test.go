package netguard

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

// open returns a guard that is closed when the test ends.
func open(t *testing.T, opts Options) *Guard {
	t.Helper()
	g, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return g
}

// serve starts a server and returns its address, 127.0.0.1:PORT.
func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

// get sends a GET and returns the whole body.
func get(t *testing.T, g *Guard, url string) (string, error) {
	t.Helper()
	return send(t, g, request(t, url))
}

func request(t *testing.T, url string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return req
}

func send(t *testing.T, g *Guard, req *http.Request) (string, error) {
	t.Helper()
	resp, err := g.Do(req)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(resp.Body)
	if err := resp.Body.Close(); err != nil {
		t.Errorf("closing the body: %v", err)
	}
	return string(text), err
}

// wantError holds err against a kind and a part of the message.
func wantError(t *testing.T, what string, err error, kind tool.Kind, part string) {
	t.Helper()
	e, ok := errors.AsType[*tool.Error](err)
	if !ok || e.Kind != kind || !strings.Contains(e.Msg, part) {
		t.Errorf("%s: error %v, want %s with %q", what, err, kind, part)
	}
}

func hello(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") }

func TestDo(t *testing.T) {
	at := serve(t, hello)
	g := open(t, Options{Allow: []string{at}})
	if got, err := get(t, g, "http://"+at+"/"); got != "hello" || err != nil {
		t.Errorf("Do = %q, %v, want hello", got, err)
	}
}

func TestDoIgnoresProxies(t *testing.T) {
	if g := open(t, Options{}); g.transport.Proxy != nil {
		t.Error("the transport has a proxy function: HTTP_PROXY would lead around the guard")
	}
}

func TestDoRefusesHostHeader(t *testing.T) {
	at := serve(t, hello)
	g := open(t, Options{Allow: []string{at}})
	req := request(t, "http://"+at)
	req.Host = "admin.internal"
	_, err := send(t, g, req)
	wantError(t, "Do with another Host", err, tool.ValidationError, "Host header")
}

func TestDoJudgesWhatNamesResolveTo(t *testing.T) {
	at := netip.MustParseAddrPort(serve(t, hello))
	names := nameServer(t, func(name string, _ int) []netip.Addr {
		if name == "gone.example" {
			return nil
		}
		return []netip.Addr{at.Addr()}
	})
	port := at.String()[strings.LastIndexByte(at.String(), ':'):]
	g := open(t, Options{Allow: []string{"Open.Example" + port, "10.0.0.0/8"}, Resolver: names})

	for _, host := range []string{"open.example", "OPEN.example", "open.example."} {
		if got, err := get(t, g, "http://"+host+port); got != "hello" || err != nil {
			t.Errorf("GET %s = %q, %v, want hello: the operator opened the name", host, got, err)
		}
	}
	_, err := get(t, g, "http://other.example"+port)
	wantError(t, "another name of the same address", err, tool.PermissionDenied, "other.example is a blocked internal address")
	_, err = get(t, g, "http://gone.example"+port)
	wantError(t, "an unknown name", err, tool.NetworkError, "Cannot resolve host: gone.example")
}

// The name leads to an open address first and to a closed one afterwards.
func TestDoJudgesEveryDial(t *testing.T) {
	at := netip.MustParseAddrPort(serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close")
		hello(w, r)
	}))
	names := nameServer(t, func(_ string, n int) []netip.Addr {
		if n == 0 {
			return []netip.Addr{at.Addr()}
		}
		return []netip.Addr{netip.MustParseAddr("127.0.0.2")}
	})
	g := open(t, Options{Allow: []string{at.String()}, Resolver: names})
	_, port, err := net.SplitHostPort(at.String())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := get(t, g, "http://rebind.example:"+port); got != "hello" || err != nil {
		t.Fatalf("first GET = %q, %v, want hello", got, err)
	}
	_, err = get(t, g, "http://rebind.example:"+port)
	wantError(t, "second GET", err, tool.PermissionDenied, "blocked internal address")
}

func TestDoEndsWithItsContext(t *testing.T) {
	stuck := make(chan struct{})
	at := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		close(stuck)
		<-r.Context().Done()
	})
	g := open(t, Options{Allow: []string{at}})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-stuck
		cancel()
	}()
	_, err := send(t, g, request(t, "http://"+at).WithContext(ctx))
	wantError(t, "Do after cancel", err, tool.Cancelled, "cancelled")

	ctx, cancel = context.WithTimeout(t.Context(), 1)
	defer cancel()
	_, err = send(t, g, request(t, "http://"+at).WithContext(ctx))
	wantError(t, "Do past its deadline", err, tool.Timeout, "HTTP request timed out")
}
