package webapi

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/ports/netguard"
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
	return server.URL, tool.Call{HTTP: open(t, server.URL)}
}

// open returns a guard that allows only the servers at these URLs.
func open(t *testing.T, urls ...string) *netguard.Guard {
	t.Helper()
	allow := make([]string, len(urls))
	for i, url := range urls {
		allow[i] = strings.TrimPrefix(url, "http://")
	}
	guard, err := netguard.New(netguard.Options{Allow: allow})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(guard.Close)
	return guard
}

// named returns the tool of a name.
func named(t *testing.T, name string) *tool.Tool {
	t.Helper()
	for _, tl := range Set.Tools() {
		if tl.Name == name {
			return tl
		}
	}
	t.Fatalf("the set has no tool %s", name)
	return nil
}

// accounts is a config center: the entries of services.
type accounts map[string][]tool.ServiceEntry

func (a accounts) Entries(_ context.Context, service string) ([]tool.ServiceEntry, error) {
	return a[service], nil
}

// entry returns the one entry of a service, which the tenant has.
func entry(fields ...string) []tool.ServiceEntry {
	data := map[string]string{}
	for i := 0; i < len(fields); i += 2 {
		data[fields[i]] = fields[i+1]
	}
	return []tool.ServiceEntry{{Label: "default", Default: true, Active: true, Shared: true, Data: data}}
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
