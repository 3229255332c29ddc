// Package modeltest plays a model provider to tests: a server that streams what a test
// says in the provider's own wire format, so that what talks to it is what would talk to
// the provider.
//
// It promises the format, not its edges: an answer is calls or text, in two pieces each.
// What a provider may do beyond that is in the testdata of package chat.
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

// Turn is what a model answers: calls, or else text.
type Turn struct {
	Calls []ToolCall
	Text  string
}

// Calls is the turn that makes these calls.
func Calls(calls ...ToolCall) Turn { return Turn{Calls: calls} }

// Says is the turn that says a text.
func Says(text string) Turn { return Turn{Text: text} }

// Formats are those that there are, as client/chat names its providers.
func Formats() []string { return slices.Sorted(maps.Keys(streams)) }

// Server is a provider. It ends with the test.
type Server struct {
	*httptest.Server

	format string
	mu     sync.Mutex
	bodies []string
}

// Serve answers the n-th request by the n-th turn, and by the last for ever.
func Serve(t testing.TB, format string, turns ...Turn) *Server {
	t.Helper()
	return ServeBy(t, format, func(n int, _ string) Turn { return turns[min(n, len(turns)-1)] })
}

// ServeBy answers the n-th request, from 0, by what its body calls for.
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

// Base is the base URL of its API.
func (s *Server) Base() string {
	if strings.HasPrefix(s.format, "openai") {
		return s.URL + "/v1"
	}
	return s.URL
}

// Bodies are the requests until now.
func (s *Server) Bodies() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.bodies)
}

// Last is the last request, "" where there was none.
func (s *Server) Last() string {
	all := s.Bodies()
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}
