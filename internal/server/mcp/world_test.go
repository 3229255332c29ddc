package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/server/mcp/published"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// stage is a platform whose calls end as its tools are named.
type stage struct {
	outcomes map[string]Outcome
	events   []Event
	files    map[string]string
}

func (s *stage) Tools(_ context.Context, by Caller) ([]*tool.Definition, error) {
	if by.Agent == "blind" {
		return nil, nil
	}
	return []*tool.Definition{{Name: "read_file", Parameters: json.RawMessage(`{"type":"object","properties":{"v":true}}`)}}, nil
}

func (s *stage) Execute(_ context.Context, _ Caller, call Call) (Outcome, error) {
	out, ok := s.outcomes[call.Tool]
	if !ok {
		return Outcome{CallID: call.ID, Tool: call.Tool, Status: "error", ErrorType: "tool_not_found", Message: "not found"}, nil
	}
	out.CallID, out.Tool = call.ID, call.Tool
	return out, nil
}

func (s *stage) Get(_ context.Context, _ Caller, id string) (Outcome, error) {
	return Outcome{CallID: id, Status: pending, State: "running"}, nil
}

func (s *stage) Program(context.Context, Caller, string) (Progress, error) {
	return Progress{}, errors.New("none")
}
func (s *stage) Cancel(context.Context, Caller, string) error { return nil }
func (s *stage) Consent(context.Context, Caller, string) (Question, error) {
	return Question{}, errors.New("none")
}
func (s *stage) Decide(context.Context, Caller, string, Answer) error { return nil }

func (s *stage) Events(_ context.Context, _ Caller, _ string, yield func(Event) bool) error {
	for _, e := range s.events {
		if !yield(e) {
			return nil
		}
	}
	return nil
}

func (s *stage) Files(_ context.Context, _ Caller, cursor string) ([]protocol.File, string, error) {
	if cursor == "" {
		return []protocol.File{{Path: "a b.txt", Size: 2, Modified: time.Unix(0, 0)}}, "a b.txt", nil
	}
	return []protocol.File{{Path: "z", Size: 3}}, "", nil
}

func (s *stage) File(_ context.Context, _ Caller, path string, into io.Writer) error {
	text, ok := s.files[path]
	if !ok {
		return errors.New("no such file")
	}
	_, err := io.WriteString(into, text)
	return err
}

// open serves a stage. Ask sends a request in a version, checks the answer against the
// published schema, and returns its status and text.
func (s *stage) open(t *testing.T, by identity.Principal) (ask func(version, method, id, params string, head ...string) (int, string)) {
	t.Helper()
	handler := New(s, Options{Version: "v1", NewID: func() string { return "c1" }}).Handler(1 << 20)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r.WithContext(identity.With(r.Context(), by)))
	}))
	t.Cleanup(srv.Close)
	return func(version, method, id, params string, head ...string) (int, string) {
		t.Helper()
		latest := version == Versions()[0]
		if latest {
			params = strings.TrimSuffix(`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}},`+params, ",")
		}
		body := `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + params + `}}`
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		req.Header.Set("Mcp-Protocol-Version", version)
		if latest {
			req.Header.Set("Mcp-Method", method)
		}
		for i := 0; i < len(head); i += 2 {
			req.Header.Set(head[i], head[i+1])
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		messages := []string{string(text)}
		if resp.Header.Get("Content-Type") == "text/event-stream" {
			messages = nil
			for line := range strings.Lines(string(text)) {
				if data, ok := strings.CutPrefix(line, "data: "); ok && strings.TrimSpace(data) != "" {
					messages = append(messages, data)
				}
			}
		}
		for _, message := range messages {
			if id == "1.5" {
				message = strings.Replace(message, `"id":1.5`, `"id":1`, 1) // the protocol has no such ids, and they come back all the same
			}
			if err := published.Check(version, method, []byte(message)); err != nil {
				t.Errorf("%s %s: %s\n%v", version, method, message, err)
			}
		}
		return resp.StatusCode, string(text)
	}
}
