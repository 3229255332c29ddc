package mcpclient

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/internal/test/testtime"
)

// headers are sent with every request of a client, each of which goes to the next
// dispatcher.
type headers struct {
	set  map[string]string
	urls []string
	next *atomic.Int64
	own  *http.Transport

	watch *Watch
}

// RoundTrip implements http.RoundTripper.
func (h headers) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range h.set {
		r.Header.Set(name, value)
	}
	if r.Host == r.URL.Host {
		r.Host = ""
	}
	r.URL.Host = strings.TrimPrefix(h.urls[int(h.next.Add(1))%len(h.urls)], "http://")
	var sent []byte
	if r.GetBody != nil {
		if body, err := r.GetBody(); err == nil {
			sent, _ = io.ReadAll(body)
		}
	}
	resp, err := h.own.RoundTrip(r)
	if err == nil {
		resp.Body = h.watch.ofHTTP(r.Header, sent, resp)
	}
	return resp, err
}

// Web returns an HTTP client whose consecutive requests go to different dispatchers. Each
// message in their answers is checked.
func Web(t *testing.T, s *system.System, set map[string]string) *http.Client {
	own := &http.Transport{}
	t.Cleanup(own.CloseIdleConnections)
	return &http.Client{Timeout: testtime.Patience(), Transport: headers{set, s.URLs, new(atomic.Int64), own, NewWatch(t)}}
}
