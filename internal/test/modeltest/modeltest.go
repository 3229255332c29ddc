// Package modeltest imitates a model provider for tests: a server that streams a
// scripted answer in the provider's own wire format, so that tests use the same client
// code as with the provider.
//
// It covers the normal format only: an answer is calls or text, in two pieces each. The
// testdata of package chat covers everything else that a provider may send.
package modeltest

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// ToolCall is a call of a tool that a model makes.
type ToolCall struct{ name, args string }

// Call is a call of the tool of that name, as it is offered, with arguments in JSON.
func Call(name, args string) ToolCall { return ToolCall{name, args} }

// Turn is an answer of the model: calls, or else text.
type Turn struct {
	Calls []ToolCall
	Text  string
}

// Calls returns the turn that makes these calls.
func Calls(calls ...ToolCall) Turn { return Turn{Calls: calls} }

// Says returns the turn with a text.
func Says(text string) Turn { return Turn{Text: text} }

// Formats lists the supported formats, by client/chat's names of providers.
func Formats() []string { return slices.Sorted(maps.Keys(streams)) }

// Server is a provider. It is closed when the test ends.
type Server struct {
	*httptest.Server

	format string
	mu     sync.Mutex
	bodies []string
}

// Serve answers the n-th request with the n-th turn, and all further requests with the
// last.
func Serve(t testing.TB, format string, turns ...Turn) *Server {
	t.Helper()
	return ServeBy(t, format, func(n int, _ string) Turn { return turns[min(n, len(turns)-1)] })
}

// ServeBy answers the n-th request, from 0, with the turn that by returns for its body.
func ServeBy(t testing.TB, format string, turn func(n int, body string) Turn) *Server {
	t.Helper()
	s := &Server{format: format}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		s.mu.Lock()
		n := len(s.bodies)
		s.bodies = append(s.bodies, string(body))
		s.mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		said := turn(n, string(body))
		streams[format](w, said.Calls, said.Text)
	}))
	t.Cleanup(s.Close)
	return s
}

// Base returns the base URL of its API.
func (s *Server) Base() string {
	if strings.HasPrefix(s.format, "openai") {
		return s.URL + "/v1"
	}
	return s.URL
}

// Bodies returns the bodies of the requests so far.
func (s *Server) Bodies() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.bodies)
}

// Last returns the body of the last request, "" if there was none.
func (s *Server) Last() string {
	all := s.Bodies()
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}
