package image

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/helve-dev/helve/internal/ports/netguard"
	"github.com/helve-dev/helve/tool"
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
	guard, err := netguard.New(netguard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(guard.Close)
	data := map[string]string{"base_url": server.URL + "/v1", "api_key": "k1"}
	maps.Copy(data, fields)
	return tool.Call{Files: disk(t, nil), HTTP: guard, Secrets: accounts{"openai": data}}, server.URL
}

// put writes a file to a workspace.
func put(t *testing.T, files tool.Files, name, data string) {
	t.Helper()
	if _, err := files.Write(name, strings.NewReader(data)); err != nil {
		t.Fatal(err)
	}
}

// body decodes a request.
func body(t *testing.T, r *http.Request) map[string]any {
	t.Helper()
	var sent map[string]any
	if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
		t.Error(err)
	}
	return sent
}

// upload returns a file of a form.
func upload(t *testing.T, r *http.Request, field string) string {
	t.Helper()
	f, head, err := r.FormFile(field)
	if err != nil {
		t.Errorf("%s: %v", field, err)
		return ""
	}
	data, err := io.ReadAll(f)
	if err != nil || !strings.HasPrefix(head.Header.Get("Content-Type"), "image/") {
		t.Errorf("%s: %v, %v", field, head.Header, err)
	}
	return string(data)
}

// reply writes an answer in JSON.
func reply(t *testing.T, w http.ResponseWriter, answer any) {
	t.Helper()
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		t.Error(err)
	}
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

// counted returns a handler that counts the requests that change something.
func counted(n *atomic.Int32, handler http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			n.Add(1)
		}
		handler(w, r)
	}
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

// own is a config center with entries of a person.
type own struct{ accounts }

func (o own) Entries(ctx context.Context, service string) ([]tool.ServiceEntry, error) {
	all, err := o.accounts.Entries(ctx, service)
	for i := range all {
		all[i].Shared = false
	}
	return all, err
}
