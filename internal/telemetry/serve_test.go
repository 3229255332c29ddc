package telemetry

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/test/testtime"
)

// TestLeave: a server that leaves lets nobody in, answers who is connected once more,
// and is gone when nobody is.
func TestLeave(t *testing.T) {
	s, err := Serve("127.0.0.1:0", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }),
		time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	own := &http.Transport{}
	defer own.CloseIdleConnections()
	ask := func(via http.RoundTripper) (last bool, err error) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL(), nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := via.RoundTrip(req)
		if err != nil {
			return false, err
		}
		defer resp.Body.Close()
		return resp.Close, nil
	}
	if last, err := ask(own); err != nil || last {
		t.Fatalf("before it leaves: %v, %v", last, err)
	}
	left := make(chan struct{})
	go func() {
		defer close(left)
		s.Leave(t.Context(), time.Hour) // it ends when nobody is connected
		s.Stop(t.Context())
	}()
	for end := time.Now().Add(testtime.Patience()); ; {
		if _, err := ask(&http.Transport{DisableKeepAlives: true}); err != nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal("a server that leaves still lets clients in")
		}
	}
	if last, err := ask(own); err != nil || !last {
		t.Errorf("who is connected was answered %v, %v, want an answer that is the last", last, err)
	}
	<-left
}

// TestAnnounce checks that a server which announces its end accepts connections, that each
// answer is the last on its connection, and that the time ends with the context.
func TestAnnounce(t *testing.T) {
	s, err := Serve("127.0.0.1:0", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }),
		time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop(t.Context())
	s.Announce(t.Context(), 0)
	ctx, end := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() {
		defer close(over)
		s.Announce(ctx, time.Hour)
	}()
	for until := time.Now().Add(testtime.Patience()); ; {
		resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: false}}).Get(s.URL())
		if err != nil {
			t.Fatal("a new connection while the end is announced:", err)
		}
		_ = resp.Body.Close()
		if resp.Close {
			break
		}
		if time.Now().After(until) {
			t.Fatal("an answer while the end is announced keeps its connection")
		}
	}
	end()
	<-over
	s.Announce(t.Context(), time.Millisecond)
}
