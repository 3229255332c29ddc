package people

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// model is a service with OpenAI's API on this machine. It repeats the key that it gets
// where a careless one would.
type model struct {
	*httptest.Server

	mu     sync.Mutex
	keys   []string
	status int
}

func newModel(t *testing.T) *model {
	t.Helper()
	m := &model{status: http.StatusOK}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.Close)
	return m
}

// answer makes the service answer with a status from now on.
func (m *model) answer(status int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.status = status
}

// last returns the key of the last request.
func (m *model) last() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.keys) == 0 {
		return ""
	}
	return m.keys[len(m.keys)-1]
}

// ServeHTTP implements [http.Handler].
func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	key := r.Header.Get("Authorization")
	m.mu.Lock()
	m.keys = append(m.keys, key)
	status := m.status
	m.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Debug", key)
	switch status {
	case http.StatusOK:
		fmt.Fprint(w, `{"data": [{"index": 0, "embedding": [1, 2]}], "usage": {"prompt_tokens": 1}}`)
	case http.StatusFound:
		w.Header().Set("Location", "/elsewhere?key="+key)
		w.WriteHeader(status)
	default:
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"error": {"message": "the key %s is not good"}}`, key)
	}
}
