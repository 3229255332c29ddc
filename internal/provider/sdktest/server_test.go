package sdktest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/helve-dev/helve/internal/provider"
)

// model plays a provider: it answers the requests it gets, one after the other, and
// keeps their bodies.
type model struct {
	*httptest.Server
	answers []string
	bodies  []map[string]json.RawMessage
}

// serve starts a model at a path of the provider's API.
func serve(t *testing.T, path string, answers ...string) *model {
	m := &model{answers: answers}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.Path != path {
			http.Error(w, "no such place: "+r.URL.Path, http.StatusNotFound)
			return
		}
		var body map[string]json.RawMessage
		text, err := io.ReadAll(r.Body)
		if err == nil {
			err = json.Unmarshal(text, &body)
		}
		if err != nil || len(m.bodies) == len(m.answers) {
			http.Error(w, "not now", http.StatusBadRequest)
			return
		}
		m.bodies = append(m.bodies, body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, m.answers[len(m.bodies)-1])
	}))
	t.Cleanup(m.Close)
	return m
}

// outcomes answers calls: the first two as tools would, and what has a problem with that.
func outcomes(t *testing.T, calls []provider.Call, want ...string) []provider.Outcome {
	t.Helper()
	var list []provider.Outcome
	for i, c := range calls {
		got := c.ID + " " + c.Name + " " + string(c.Arguments)
		if i >= len(want) || got != want[i] {
			t.Errorf("call %d is %q, want one of %q", i, got, want)
		}
		o := provider.Outcome{Status: "success", Result: json.RawMessage(`{"lines":["a","<b>"],"n":3}`)}
		if c.Problem != nil {
			o = provider.Outcome{Status: "error", ErrorType: string(c.Problem.Kind), Message: c.Problem.Msg}
		}
		list = append(list, o)
	}
	if len(calls) != len(want) {
		t.Fatalf("read %d calls, want %d", len(calls), len(want))
	}
	return list
}

// tail is the last n elements of a list, as the provider saw it.
func tail(t *testing.T, list json.RawMessage, n int) []byte {
	t.Helper()
	var elements []json.RawMessage
	if err := json.Unmarshal(list, &elements); err != nil || len(elements) < n {
		t.Fatalf("the provider got %s (%v), want %d elements or more", list, err, n)
	}
	text, err := json.Marshal(elements[len(elements)-n:])
	if err != nil {
		t.Fatal(err)
	}
	return text
}
