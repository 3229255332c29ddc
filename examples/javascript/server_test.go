package javascript

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// service is a server that answers by method and URI, and remembers what it was
// sent.
type service struct {
	*httptest.Server

	answers map[string]string

	mu   sync.Mutex
	sent []string // METHOD URI BODY, each with the Authorization behind it
}

// serve starts one. An answer may begin with a status that is not 200.
func serve(t *testing.T, answers map[string]string) *service {
	t.Helper()
	s := &service{answers: answers}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	request := r.Method + " " + r.RequestURI
	s.mu.Lock()
	s.sent = append(s.sent, strings.Join([]string{request, compact(body), r.Header.Get("Authorization")}, " | "))
	s.mu.Unlock()
	answer, known := s.answers[request]
	if !known {
		answer = `404 {"message": "Not Found"}`
	}
	status := http.StatusOK
	if _, err := fmt.Sscanf(answer, "%d", &status); err == nil {
		_, answer, _ = strings.Cut(answer, " ")
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, answer) // a client that is gone is the test's matter
}

// compact is JSON with its members in one order.
func compact(body []byte) string {
	var v any
	if json.Unmarshal(body, &v) != nil {
		return string(body)
	}
	text, _ := json.Marshal(v) // it was JSON
	return string(text)
}

// requests returns what was sent, and forgets it.
func (s *service) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	sent := s.sent
	s.sent = nil
	return sent
}
