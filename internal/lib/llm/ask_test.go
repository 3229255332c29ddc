package llm

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func person(t *testing.T) *Form {
	t.Helper()
	form, err := NewForm(json.RawMessage(personSchema))
	if err != nil {
		t.Fatal(err)
	}
	return form
}

// TestRepair: an answer that does not fit is repaired by one more request, which holds the
// answer and its problems.
func TestRepair(t *testing.T) {
	for name, tt := range map[string]struct {
		said     []string
		data     string
		problems []string
		repaired string // the problem that the second request names
	}{
		"fits":              {[]string{`{"name":"Ann"}`}, `{"name":"Ann"}`, nil, ""},
		"fenced":            {[]string{"Here it is:\n```json\n{\"name\":\"Ann\"}\n```"}, `{"name":"Ann"}`, nil, ""},
		"more than asked":   {[]string{`{"name":"Ann","colour":"red","age":null}`}, `{"name":"Ann"}`, nil, ""},
		"wrong, then right": {[]string{`{"age":"old"}`, `{"name":"Ann"}`}, `{"name":"Ann"}`, nil, "missing required member 'name'"},
		"prose, then right": {[]string{`Ann is old.`, `{"name":"Ann"}`}, `{"name":"Ann"}`, nil, "the answer is no JSON object"},
		"wrong twice": {
			[]string{`{"age":"old"}`, `{"name":7}`}, `{"name":7}`, []string{"name: expected string, got number"},
			"age: expected integer, got string",
		},
		"prose twice":       {[]string{`Ann`, `Bob`}, "", []string{"the answer is no JSON object"}, "no JSON object"},
		"wrong, then prose": {[]string{`{"name":7}`, `Ann`}, `{"name":7}`, []string{"the answer is no JSON object"}, "name: expected string"},
		"two names":         {[]string{`{"name":"Ann","name":"Bob"}`, `{"name":"Ann"}`}, `{"name":"Ann"}`, nil, "no JSON object"},
		"a list":            {[]string{`[{"name":"Ann"},{"name":"Bob"}]`, `{"name":"Ann"}`}, `{"name":"Ann"}`, nil, "no JSON object"},
		"deep": {
			[]string{strings.Repeat(`{"name":`, 5000) + "1" + strings.Repeat("}", 5000), `{"name":"Ann"}`}, `{"name":"Ann"}`, nil, "no JSON object",
		},
		"an enormous number": {[]string{`{"name":"Ann","age":1e999999999}`, `{"name":"Ann"}`}, `{"name":"Ann"}`, nil, "no JSON object"},
	} {
		m, all := at(t, "openai", func(n int) (int, string) { return 200, replies["openai"](tt.said[min(n, len(tt.said))-1]) })
		got, err := m.JSON(t.Context(), Ask{Task: "Read.", Data: map[string]any{"text": "t"}}, person(t))
		if err != nil || string(got.Data) != tt.data || !slices.Equal(got.Problems, tt.problems) || len(*all) != len(tt.said) {
			t.Errorf("%s: %s, %q, %v after %d requests", name, got.Data, got.Problems, err, len(*all))
			continue
		}
		if len(*all) < 2 {
			continue
		}
		var data struct {
			Text     string
			Previous string `json:"previous_answer"`
			Problems []string
		}
		user := (*all)[1].body["messages"].([]any)[1].(map[string]any)["content"].(string)
		if err := json.Unmarshal([]byte(user), &data); err != nil || data.Text != "t" || !strings.HasPrefix(tt.said[0], data.Previous[:3]) ||
			!strings.Contains(strings.Join(data.Problems, " "), tt.repaired) {
			t.Errorf("%s: the second request has %.300s, %v", name, user, err)
		}
	}
}

// TestFailures: each failure of a provider has its kind, after one request, and holds no key.
func TestFailures(t *testing.T) {
	for service, bodies := range map[string]map[string]string{
		"openai": {
			`{"choices":[]}`: "no choice", `{}`: "no choice", `[1]`: "no chat completion", `<html>`: "no chat completion", ``: "no chat completion",
			`{"choices":[{"message":{"content":"half"},"finish_reason":"length"}]}`:                               "limit of its answer",
			`{"choices":[{"message":{"content":null,"refusal":"I cannot, secret-key."},"finish_reason":"stop"}]}`: "refused to answer: I cannot, ….",
			`{"choices":[{"message":{"content":""},"finish_reason":"content_filter"}]}`:                           "content filter",
			`{"choices":[{"message":{"content":" "},"finish_reason":"stop"}]}`:                                    "wrote nothing",
			`{"choices":[{"message":{"content":"` + strings.Repeat("x", 17<<20) + `"},"finish_reason":"stop"}]}`:  "longer than",
			`{"choices":[{"message":{"content":{"a":1}},"finish_reason":"stop"}]}`:                                "no chat completion",
		},
		"anthropic": {
			`{}`: "no message", `{"content":[]}`: "wrote nothing",
			`{"content":[{"type":"text","text":"half"}],"stop_reason":"max_tokens"}`:        "limit of its answer",
			`{"content":[],"stop_reason":"refusal","stop_details":{"explanation":"Harm."}}`: "refused to answer: Harm.",
			`{"content":[],"stop_reason":"refusal"}`:                                        "no reason",
		},
		"gemini": {
			`{}`: "no candidate", `[]`: "generateContent", `{"promptFeedback":{"blockReason":"SAFETY"}}`: "refused to answer: SAFETY",
			`{"candidates":[{"finishReason":"RECITATION"}]}`:                                       "refused to answer: RECITATION",
			`{"candidates":[{"content":{"parts":[{"text":"half"}]},"finishReason":"MAX_TOKENS"}]}`: "limit of its answer",
		},
	} {
		for body, want := range bodies {
			m, all := at(t, service, func(int) (int, string) { return 200, body })
			_, err := m.Text(t.Context(), Ask{})
			if e := tool.AsError(err); e == nil || e.Kind != tool.ExecutionError || !strings.Contains(e.Msg, want) ||
				strings.Contains(e.Error(), "secret-key") || len(*all) != 1 {
				t.Errorf("%s, %.90s: %v after %d requests, want %q", service, body, err, len(*all), want)
			}
		}
		for status, kind := range map[int]tool.Kind{
			401: tool.NotConfigured,
			403: tool.NotConfigured,
			429: tool.RateLimited,
			500: tool.NetworkError,
			529: tool.NetworkError,
			404: tool.ExecutionError,
		} {
			m, all := at(t, service, func(int) (int, string) { return status, `{"error":{"message":"no, secret-key"}}` })
			_, err := m.JSON(t.Context(), Ask{}, person(t))
			if e := tool.AsError(err); e == nil || e.Kind != kind || strings.Contains(e.Error(), "secret-key") || len(*all) != 1 {
				t.Errorf("%s, status %d: %v after %d requests, want %s", service, status, err, len(*all), kind)
			}
		}
	}
}

// TestSilence: a model that does not answer is given up after a minute.
func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		port := tooltest.Doer(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, context.Cause(r.Context())
		})
		m, err := Open(t.Context(), &tool.Call{HTTP: port, Clock: tooltest.Clock{}, Secrets: accounts{"openai": {}}}, "to test")
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		_, err = m.Text(t.Context(), Ask{})
		if tool.AsError(err).Kind != tool.Timeout || time.Since(start) != patience {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

// TestCut: an object that ends too early counts as wrong, even if it fits.
func TestCut(t *testing.T) {
	m, all := at(t, "anthropic", func(int) (int, string) {
		return 200, `{"content":[{"type":"tool_use","id":"t","name":"answer","input":{"name":"Ann"}}],"stop_reason":"max_tokens","usage":{"input_tokens":1,"output_tokens":8192}}`
	})
	got, err := m.JSON(t.Context(), Ask{}, person(t))
	if err != nil || len(*all) != 2 || string(got.Data) != `{"name":"Ann"}` || len(got.Problems) != 1 ||
		!strings.Contains(got.Problems[0], "ends too early") {
		t.Errorf("%s, %q, %v after %d requests", got.Data, got.Problems, err, len(*all))
	}
}
