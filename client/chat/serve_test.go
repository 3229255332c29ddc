package chat

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/client"
)

var everyProvider = []string{"openai", "openai_responses", "anthropic", "gemini"}

const testKey = "sk-proj-0123456789abcdefghij"

// stream is a list of events from a provider.
func stream(t testing.TB, provider, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", provider, name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// serve answers every request with body, as a stream unless kind says otherwise.
func serve(t *testing.T, status int, kind string, body []byte) string {
	t.Helper()
	return serveWith(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		w.Write(body)
	})
}

func serveWith(t *testing.T, handle http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(handle)
	t.Cleanup(s.Close)
	return s.URL
}

func newModel(t *testing.T, o Options) client.Model {
	t.Helper()
	if o.Model == "" {
		o.Model = "m1"
	}
	if o.Key == "" {
		o.Key = testKey
	}
	m, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// asked sends a question to a model at url, and also returns the pieces.
func asked(t *testing.T, provider, url string) (client.Turn, []string, error) {
	t.Helper()
	m := newModel(t, Options{Provider: provider, BaseURL: url})
	var pieces []string
	turn, err := m.Ask(t.Context(), []json.RawMessage{m.User("Hello")}, nil, func(p string) { pieces = append(pieces, p) })
	return turn, pieces, err
}

func modelError(t *testing.T, err error) *client.ModelError {
	t.Helper()
	e, ok := errors.AsType[*client.ModelError](err)
	if !ok {
		t.Fatalf("the error is %T (%v), want a *client.ModelError", err, err)
	}
	return e
}

// sameJSON compares JSON values, numbers digit by digit.
func sameJSON(t *testing.T, what string, got []byte, want string) {
	t.Helper()
	if diff := cmp.Diff(decoded(t, []byte(want)), decoded(t, got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func decoded(t *testing.T, text []byte) any {
	t.Helper()
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()
	var v any
	if err := in.Decode(&v); err != nil {
		t.Fatalf("%v in %.200s", err, text)
	}
	return v
}

func joined(items []json.RawMessage) []byte {
	all := []byte{'['}
	for i, item := range items {
		if i > 0 {
			all = append(all, ',')
		}
		all = append(all, item...)
	}
	return append(all, ']')
}

func contains(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s: %q does not say %q", what, text, part)
		}
	}
}
