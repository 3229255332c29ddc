package alerttest

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/helve-dev/helve/config"
)

// TestCircuitOpen: a server outside is not there, and then is.
func TestCircuitOpen(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	_ = l.Close()
	s := launch(t, func(c *config.Config) { c.AllowHosts, c.Groups = []string{"127.0.0.1"}, []string{"webFetch=on"} })
	more := func() { s.calls(10, "http_request", `{"url": "http://`+addr+`/"}`) }
	p := start(t, s.url)
	p.step()
	p.until("HelveCircuitOpen", true, more)
	if l, err = net.Listen("tcp", addr); err != nil {
		t.Fatal(err)
	}
	there := &httptest.Server{Listener: l, Config: &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}}
	there.Start()
	t.Cleanup(there.Close)
	p.until("HelveCircuitOpen", false, more)
}

// TestCallbacksFailing: a receiver of callbacks refuses a result, and then takes it.
func TestCallbacksFailing(t *testing.T) {
	var there atomic.Bool
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if !there.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(receiver.Close)
	host := strings.TrimPrefix(receiver.URL, "http://")
	s := launch(t, func(c *config.Config) { c.Callbacks.AllowedHosts = []string{host} })
	p := start(t, s.url)
	p.step()
	s.post("/v1/execute", `{"callback": {"url": "`+receiver.URL+`/"}, "calls": [{"tool": "debug.echo", "arguments": {"value": 1}}]}`)
	p.until("HelveCallbacksFailing", true)
	there.Store(true)
	p.until("HelveCallbacksFailing", false)
}
