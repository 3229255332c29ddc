package audio

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/ports/netguard"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// accounts is a config center.
type accounts map[string]map[string]string

func (a accounts) Entries(_ context.Context, service string) ([]tool.ServiceEntry, error) {
	if fields, has := a[service]; has {
		return []tool.ServiceEntry{{Label: "default", Active: true, Shared: true, Data: fields}}, nil
	}
	return nil, nil
}

// provider starts a server that plays a provider, and returns its address and a call whose
// guard opens no address: an entry of the tenant does. The service openai is its /v1.
func provider(t *testing.T, fields map[string]string, handler http.HandlerFunc) (tool.Call, string) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	data := map[string]string{"base_url": server.URL + "/v1", "api_key": "k1"}
	maps.Copy(data, fields)
	call := newBench(t, "").call
	call.HTTP, call.Secrets = guarded(t), accounts{"openai": data}
	return call, server.URL
}

// guarded returns a guard that opens some internal addresses.
func guarded(t *testing.T, open ...string) *netguard.Guard {
	t.Helper()
	guard, err := netguard.New(netguard.Options{Allow: open})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(guard.Close)
	return guard
}

// site starts a server that is no provider, and opens it to a call.
func site(t *testing.T, call *tool.Call, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	call.HTTP = guarded(t, server.Listener.Addr().String())
	return server.URL
}

// endless writes until the client closes the connection, and at most a gigabyte.
func endless(w http.ResponseWriter) {
	part := make([]byte, 1<<20)
	for range 1 << 10 {
		if _, err := w.Write(part); err != nil {
			return
		}
	}
}

// put writes a file to a workspace.
func put(t *testing.T, files tool.Files, name, data string) {
	t.Helper()
	if _, err := files.Write(name, strings.NewReader(data)); err != nil {
		t.Fatal(err)
	}
}

// content reads a file of a workspace.
func content(t *testing.T, files tool.Files, name string) string {
	t.Helper()
	f, err := files.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(f)
	if err != nil || f.Close() != nil {
		t.Fatal(err)
	}
	return string(data)
}

// result decodes the result of a tool.
func result[T any](t *testing.T, res tool.Result) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(res.Value, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// refused runs one case that fails.
func refused(t *testing.T, name string, call tool.Call, args string, kind tool.Kind, says string) {
	t.Helper()
	tooltest.Run(t, Set, name, call, []tooltest.Case{{Name: args + says, Args: args, Fails: kind, Message: says}})
}
