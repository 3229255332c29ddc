package telemetry

import (
	"net/http"
	"testing"
	"time"
)

// TestLeave: a server that leaves lets nobody in, answers who is connected once more,
// and is gone when nobody is.
func TestLeave(t *testing.T) {
	s, err := Serve("127.0.0.1:0", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }), time.Minute)
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
	for end := time.Now().Add(time.Minute); ; {
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
