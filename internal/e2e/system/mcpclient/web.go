package mcpclient

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/helve-dev/helve/internal/e2e/system"
	"github.com/helve-dev/helve/internal/testtime"
)

// headers are sent with every request of a client, each of which goes to the next
// dispatcher.
type headers struct {
	set  map[string]string
	urls []string
	next *atomic.Int64
	own  *http.Transport
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
	return h.own.RoundTrip(r)
}

// Web returns an HTTP client whose consecutive requests go to different dispatchers.
func Web(t *testing.T, s *system.System, set map[string]string) *http.Client {
	own := &http.Transport{}
	t.Cleanup(own.CloseIdleConnections)
	return &http.Client{Timeout: testtime.Patience(), Transport: headers{set, s.URLs, new(atomic.Int64), own}}
}
