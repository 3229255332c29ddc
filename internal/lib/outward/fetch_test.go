package outward

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/ports/netguard"
	"github.com/helve-dev/helve/tool"
)

// TestFetch: a file is fetched without credentials, from the host of the entry or a public
// one; an answer leads to no other internal host, not even by a redirect.
func TestFetch(t *testing.T) {
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("an internal host was reached") }))
	defer inside.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/picture":
			if len(r.Header["Authorization"]) > 0 {
				t.Error("the key was sent with a fetch")
			}
			_, _ = w.Write([]byte("picture"))
		case "/away":
			http.Redirect(w, r, inside.URL, http.StatusFound)
		case "/half":
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("half"))
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	guard, err := netguard.New(netguard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer guard.Close()
	client := func(shared bool) *Client {
		c, err := service.With(&tool.Call{HTTP: guard, Clock: fixed{}}, tool.ServiceEntry{
			Active: true,
			Shared: shared,
			Data:   map[string]string{"base_url": server.URL, "api_key": "secret-key"},
		})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	if data, err := client(true).Fetch(t.Context(), server.URL+"/picture", 7); err != nil || string(data) != "picture" {
		t.Errorf("Fetch = %q, %v", data, err)
	}
	for address, want := range map[string]struct {
		shared bool
		kind   tool.Kind
		says   string
	}{
		server.URL + "/picture?": {false, tool.PermissionDenied, "blocked internal address"},
		server.URL + "/away":     {true, tool.PermissionDenied, "redirected"},
		inside.URL:               {true, tool.PermissionDenied, "blocked internal address"},
		server.URL + "/half":     {true, tool.NetworkError, ""},
		server.URL + "/none":     {true, tool.NetworkError, "status 404"},
		server.URL + "/picture":  {true, tool.ExecutionError, "longer than 6 bytes"},
		"file:///etc/passwd":     {true, tool.ExecutionError, "makes no sense"},
		"http://u:p@h/x":         {true, tool.ExecutionError, "makes no sense"},
		"picture.png":            {true, tool.ExecutionError, "makes no sense"},
	} {
		_, err := client(want.shared).Fetch(t.Context(), address, 6)
		if e := tool.AsError(err); e == nil || e.Kind != want.kind || !strings.Contains(e.Msg, want.says) {
			t.Errorf("%s: %v, want %s with %q", address, err, want.kind, want.says)
		}
	}
}
