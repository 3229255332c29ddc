package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	// The sources of the program helve, which TestProgramDrill builds.
	_ "github.com/helve-dev/helve/internal/cli"
)

// summarizer is a server with OpenAI's API of chat completions, whose model takes its time.
type summarizer struct {
	env []string // of the processes that use it
}

func newSummarizer(t *testing.T) *summarizer {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Messages []struct{ Role, Content string }
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || len(body.Messages) != 2 || r.URL.Path != "/v1/chat/completions" {
			http.Error(w, `{"error":{"message":"unknown request"}}`, http.StatusBadRequest)
			return
		}
		_, part, _ := strings.Cut(body.Messages[1].Content, "in part ")
		part, _, _ = strings.Cut(part, ".")
		<-time.After(200 * time.Millisecond) // to sum up
		fmt.Fprintf(w, `{"choices":[{"message":{"role":"assistant","content":"Do part %s."},"finish_reason":"stop"}],`+
			`"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120}}`, part)
	}))
	t.Cleanup(srv.Close)
	entry, err := json.Marshal([]any{map[string]any{"service": "openai", "data": map[string]string{"api_key": "k", "base_url": srv.URL + "/v1"}}})
	if err != nil {
		t.Fatal(err)
	}
	services := filepath.Join(t.TempDir(), "services.yaml")
	if err := os.WriteFile(services, entry, 0o600); err != nil {
		t.Fatal(err)
	}
	return &summarizer{[]string{
		"HELVE_PROFILE=auto", "HELVE_SERVICES_FILE=" + services, "HELVE_WORKER_SLOTS=4",
		"HELVE_ALLOW_HOSTS=" + strings.TrimPrefix(srv.URL, "http://"), "HELVE_GROUPS=dataExtraction=on",
	}}
}

// brief returns the summary of a task.
func (*summarizer) brief(i int) string { return fmt.Sprintf("Do part %d.", i) }

// repeats sends a request again whose answer did not arrive, as proxies do. It is a client that waits
// for a Helve to come back, and names the person.
type repeats struct{ life context.Context }

// RoundTrip implements [http.RoundTripper].
func (r repeats) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		var err error
		if body, err = io.ReadAll(req.Body); err != nil {
			return nil, err
		}
		_ = req.Body.Close()
	}
	for {
		again := req.Clone(req.Context())
		again.Body = io.NopCloser(bytes.NewReader(body))
		again.Header.Set("Helve-User", person)
		res, err := http.DefaultTransport.RoundTrip(again)
		if err == nil {
			var all []byte
			all, err = io.ReadAll(res.Body)
			_ = res.Body.Close()
			res.Body = io.NopCloser(bytes.NewReader(all))
		}
		if err == nil && res.StatusCode != http.StatusServiceUnavailable {
			return res, nil
		}
		select {
		case <-req.Context().Done():
			return nil, context.Cause(req.Context())
		case <-r.life.Done():
			return nil, context.Cause(r.life)
		case <-time.After(lookLast):
		}
	}
}

// buildShipped builds the program helve once, as it is released.
var buildShipped = sync.OnceValues(func() ([]byte, error) {
	cmd := exec.Command("go", "build", "-ldflags=-s", "-o", filepath.Join(programs, "helve"), "./cmd/helve")
	cmd.Dir = filepath.Join("..", "..", "..")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	return cmd.CombinedOutput()
})

// shipped returns the path of the program helve.
func shipped(t *testing.T) string {
	t.Helper()
	if out, err := buildShipped(); err != nil {
		t.Fatalf("build helve: %v\n%s", err, out)
	}
	return filepath.Join(programs, "helve")
}
