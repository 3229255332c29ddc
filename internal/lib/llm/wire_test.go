package llm

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
)

const personSchema = `{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"}},"required":["name"]}`

// TestRequests: each provider is asked as its reference says, for a text and for an object.
func TestRequests(t *testing.T) {
	form, err := NewForm(json.RawMessage(personSchema))
	if err != nil {
		t.Fatal(err)
	}
	schema := map[string]any{}
	if err := json.Unmarshal([]byte(personSchema), &schema); err != nil {
		t.Fatal(err)
	}
	textTask := "Sum up." + apart
	objectTask := "Sum up.\n\nAnswer with one JSON object and nothing else. It must be valid under this JSON Schema:\n" + personSchema + apart
	const user = `{"text":"<b>Ann & Bob</b>"}`
	messages := func(system string) []any {
		return []any{map[string]any{"role": "system", "content": system}, map[string]any{"role": "user", "content": user}}
	}
	parts := func(text string) []any { return []any{map[string]any{"text": text}} }
	for service, tt := range map[string]struct {
		path, header string
		text, object map[string]any
	}{
		"openai": {
			"/v1/chat/completions", "Authorization: Bearer secret-key", map[string]any{"model": "house", "messages": messages(textTask)},
			map[string]any{
				"model":           "house",
				"messages":        messages(objectTask),
				"response_format": map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": "answer", "schema": schema}},
			},
		},
		"anthropic": {
			"/v1/messages", "X-Api-Key: secret-key",
			map[string]any{"model": "house", "max_tokens": 8192.0, "system": textTask, "messages": messages("")[1:]},
			map[string]any{
				"model": "house", "max_tokens": 8192.0, "system": objectTask, "messages": messages("")[1:],
				"tools":       []any{map[string]any{"name": "answer", "description": "Takes the answer.", "input_schema": schema}},
				"tool_choice": map[string]any{"type": "tool", "name": "answer"},
			},
		},
		"gemini": {
			"/v1beta/models/house:generateContent", "X-Goog-Api-Key: secret-key",
			map[string]any{
				"systemInstruction": map[string]any{"parts": parts(textTask)}, "contents": []any{map[string]any{"role": "user", "parts": parts(user)}},
			},
			map[string]any{
				"systemInstruction": map[string]any{"parts": parts(objectTask)},
				"contents":          []any{map[string]any{"role": "user", "parts": parts(user)}},
				"generationConfig":  map[string]any{"responseMimeType": "application/json", "responseJsonSchema": schema},
			},
		},
	} {
		said := "Two people.\n"
		m, all := at(t, service, func(int) (int, string) { return 200, replies[service](said) })
		ask := Ask{Task: "Sum up.", Data: map[string]any{"text": "<b>Ann & Bob</b>"}}
		if text, err := m.Text(t.Context(), ask); err != nil || text != "Two people." {
			t.Errorf("%s: Text = %q, %v", service, text, err)
		}
		said = `{"name":"Ann","age":12345678901234567890}`
		answer, err := m.JSON(t.Context(), ask, form)
		if err != nil || answer.Problems != nil || string(answer.Data) != said {
			t.Errorf("%s: JSON = %s, %v, %v", service, answer.Data, answer.Problems, err)
		}
		if len(*all) != 2 {
			t.Fatalf("%s: %d requests, want 2", service, len(*all))
		}
		for i, want := range []map[string]any{tt.text, tt.object} {
			got := (*all)[i]
			name, value, _ := strings.Cut(tt.header, ": ")
			if diff := cmp.Diff(want, got.body); diff != "" || got.Method != "POST" || got.URL.Path != tt.path || got.Header.Get(name) != value ||
				got.Header.Get("Content-Type") != "application/json" {
				t.Errorf("%s %d: %s %s, %v, body (-want +got):\n%s", service, i, got.Method, got.URL.Path, got.Header, diff)
			}
		}
		if version := (*all)[0].Header.Get("Anthropic-Version"); (version == "2023-06-01") != (service == "anthropic") {
			t.Errorf("%s: Anthropic-Version %q", service, version)
		}
	}
}

// TestLoose: where a provider refuses the schema, the object is requested without it, once.
func TestLoose(t *testing.T) {
	form, err := NewForm(json.RawMessage(personSchema))
	if err != nil {
		t.Fatal(err)
	}
	for service, kept := range map[string]map[string]any{
		"openai": {"response_format": map[string]any{"type": "json_object"}}, "anthropic": {},
		"gemini": {"generationConfig": map[string]any{"responseMimeType": "application/json"}},
	} {
		m, all := at(t, service, func(n int) (int, string) {
			if n == 1 {
				return 400, `{"error":{"message":"Invalid schema"}}`
			}
			return 200, replies[service](`{"name":"Ann"}`)
		})
		answer, err := m.JSON(t.Context(), Ask{}, form)
		if err != nil || string(answer.Data) != `{"name":"Ann"}` || len(*all) != 2 {
			t.Fatalf("%s: %s, %v, %d requests", service, answer.Data, err, len(*all))
		}
		got := map[string]any{}
		for _, name := range []string{"response_format", "tools", "tool_choice", "generationConfig"} {
			if v, there := (*all)[1].body[name]; there {
				got[name] = v
			}
		}
		if diff := cmp.Diff(kept, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", service, diff)
		}
	}
	m, all := at(t, "openai", func(int) (int, string) { return 400, `{"error":{"message":"context too long for secret-key"}}` })
	if _, err := m.JSON(t.Context(), Ask{}, form); tool.AsError(err).Kind != tool.ExecutionError ||
		!strings.Contains(tool.AsError(err).Msg, "context too long for …") || len(*all) != 2 {
		t.Errorf("always refused: %v after %d requests", err, len(*all))
	}
}
