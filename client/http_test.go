package client

import (
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// TestNoIdleConnectionsToALeavingServer: a server that ends a connection is stopping, so the
// client closes the idle ones before the server does, when a request may be on one.
func TestNoIdleConnectionsToALeavingServer(t *testing.T) {
	var both sync.WaitGroup
	both.Add(2)
	closed := make(chan net.Conn, 8)
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/agents" {
			both.Done()
			both.Wait() // concurrent requests need two connections
		} else {
			w.Header().Set("Connection", "close")
		}
		_, _ = w.Write([]byte(`{}`))
	}))
	srv.Config.ConnState = func(c net.Conn, s http.ConnState) {
		if s == http.StateClosed {
			closed <- c
		}
	}
	srv.Start()
	defer srv.Close()
	c, err := New(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var requests sync.WaitGroup
	for range 2 {
		requests.Go(func() {
			if _, err := c.Agents(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	requests.Wait()
	if _, err := c.Workers(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		select {
		case <-closed:
		case <-time.After(30 * time.Second):
			t.Fatal("a connection stays open")
		}
	}
}
