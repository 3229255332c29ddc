package webapi

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/helve-dev/helve/internal/backend/netguard"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestGolden(t *testing.T) { tooltest.Golden(t, Set) }

// serve starts a server and returns its URL and a call whose guard allows only that
// server.
func serve(t *testing.T, handler http.HandlerFunc) (string, tool.Call) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	guard, err := netguard.New(netguard.Options{Allow: []string{server.Listener.Addr().String()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(guard.Close)
	return server.URL, tool.Call{HTTP: guard}
}

// answer returns a server that always gives the same answer.
func answer(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Date"] = nil
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}
