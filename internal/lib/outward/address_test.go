package outward

import (
	"net/http"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

// TestAddress: a service may derive the address of an entry from its fields.
func TestAddress(t *testing.T) {
	s := Service{Name: "models", Base: "https://api.example.com", Address: func(data map[string]string) string { return data["other_url"] }}
	for other, want := range map[string]string{"": "api.example.com", " http://h:1 ": "h:1"} {
		c, err := s.With(&tool.Call{}, tool.ServiceEntry{Data: map[string]string{"base_url": "https://unused.example", "other_url": other}})
		if err != nil || c.Host() != want {
			t.Errorf("%q: host %v, %v, want %s", other, c, err, want)
		}
	}
}

// TestKeyInAddress: an error of the network holds no key, also where the service takes it in
// the address.
func TestKeyInAddress(t *testing.T) {
	s := service
	s.Sign = func(req *http.Request, data map[string]string) {
		query := req.URL.Query()
		query.Set("key", data["api_key"])
		req.URL.RawQuery = query.Encode()
	}
	const key = "secret key+1"
	var sent string
	port := doer(func(r *http.Request) (*http.Response, error) {
		sent = r.URL.String()
		return nil, tool.Fail(tool.NetworkError, "Connection refused: %s", r.URL).Because(http.ErrHandlerTimeout)
	})
	c, err := s.With(&tool.Call{HTTP: port, Clock: fixed{}}, tool.ServiceEntry{Data: map[string]string{"api_key": key}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Bytes(t.Context(), Request{})
	e := tool.AsError(err)
	if !strings.Contains(sent, "secret+key%2B1") || e.Kind != tool.NetworkError || !strings.Contains(e.Msg, "?key=…") ||
		strings.Contains(e.Error(), "secret") {
		t.Errorf("sent %s, error %v", sent, err)
	}
	if !strings.Contains(e.Error(), http.ErrHandlerTimeout.Error()) {
		t.Errorf("the cause is lost: %v", e)
	}
}

// TestStatus: a caller can read the status of a refusal.
func TestStatus(t *testing.T) {
	for code, want := range map[int]int{400: 400, 422: 422, 404: 404, 500: 500, 429: 429, 401: 401} {
		c := at(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) })
		if _, err := c.Bytes(t.Context(), Request{}); Status(err) != want {
			t.Errorf("status %d: Status = %d, want %d", code, Status(err), want)
		}
	}
}

type doer func(*http.Request) (*http.Response, error)

func (d doer) Do(req *http.Request) (*http.Response, error) { return d(req) }
