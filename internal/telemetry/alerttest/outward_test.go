package alerttest

import (
	"net"
	"net/http"
	"net/http/httptest"
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
