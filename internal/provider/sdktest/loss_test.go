package sdktest

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/google/go-cmp/cmp"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
	"google.golang.org/genai"

	"github.com/helve-dev/helve/internal/provider"
	"github.com/helve-dev/helve/internal/tools"
	"github.com/helve-dev/helve/tool"
)

// catalogue returns the definitions of all built-in tools.
func catalogue() []*tool.Definition {
	var defs []*tool.Definition
	for _, set := range tools.Builtin() {
		for _, t := range set.Tools() {
			defs = append(defs, &t.Definition)
		}
	}
	return defs
}

// through unmarshals text into an SDK's type and marshals that back.
func through[T any](t *testing.T, text []byte) (T, []byte) {
	t.Helper()
	var v T
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("the SDK refuses %.300s: %v", text, err)
	}
	back, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("the SDK cannot write what it read: %v", err)
	}
	return v, back
}

// equal compares two texts as JSON values, with every digit of a number.
func equal(t *testing.T, what string, want, got []byte) {
	t.Helper()
	if diff := cmp.Diff(value(t, want), value(t, got)); diff != "" {
		t.Errorf("%s: (-ours +the SDK's):\n%s", what, diff)
	}
}

func value(t *testing.T, text []byte) any {
	t.Helper()
	var v any
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()
	if err := in.Decode(&v); err != nil {
		t.Fatalf("%.300s is not JSON: %v", text, err)
	}
	return v
}

func TestToolsWithoutLoss(t *testing.T) {
	for f, pass := range map[provider.Format]func(*testing.T, []byte) (int, []byte){
		provider.OpenAI: func(t *testing.T, text []byte) (int, []byte) {
			v, back := through[[]openai.ChatCompletionToolUnionParam](t, text)
			return len(v), back
		},
		provider.Responses: func(t *testing.T, text []byte) (int, []byte) {
			v, back := through[[]responses.ToolUnionParam](t, text)
			return len(v), back
		},
		provider.Anthropic: func(t *testing.T, text []byte) (int, []byte) {
			v, back := through[[]anthropic.ToolUnionParam](t, text)
			return len(v), back
		},
		provider.Gemini: func(t *testing.T, text []byte) (int, []byte) {
			v, back := through[[]*genai.Tool](t, text)
			return len(v[0].FunctionDeclarations), back
		},
	} {
		text, err := f.Tools(catalogue())
		if err != nil {
			t.Fatal(err)
		}
		n, back := pass(t, text)
		if n != len(catalogue()) {
			t.Errorf("%s: the SDK reads %d tools of %d", f, n, len(catalogue()))
		}
		equal(t, string(f), text, back)
	}
}

func TestMessagesWithoutLoss(t *testing.T) {
	text := "line 1\n<b> & \"x\" \u2028 😀"
	calls := []provider.Call{{ID: "a b 😀", Name: "read_file"}, {ID: "b", Name: "nope"}, {ID: "c", Name: "now"}}
	outcomes := []provider.Outcome{
		{Status: "success", Text: &text},
		{Status: "error", ErrorType: "tool_not_found", Message: `Tool "nope" not found`},
		{Status: "success", Result: json.RawMessage(`{"unix":1764547200,"zones":["Europe/Berlin",null],"html":"<&>"}`)},
	}
	for f, pass := range map[provider.Format]func(*testing.T, []byte) []byte{
		provider.OpenAI: func(t *testing.T, text []byte) []byte {
			_, back := through[[]openai.ChatCompletionMessageParamUnion](t, text)
			return back
		},
		provider.Responses: func(t *testing.T, text []byte) []byte {
			_, back := through[[]responses.ResponseInputItemUnionParam](t, text)
			return back
		},
		provider.Anthropic: func(t *testing.T, text []byte) []byte {
			_, back := through[[]anthropic.MessageParam](t, text)
			return back
		},
		provider.Gemini: func(t *testing.T, text []byte) []byte {
			_, back := through[[]*genai.Content](t, text)
			return back
		},
	} {
		text, err := f.Messages(calls, outcomes)
		if err != nil {
			t.Fatal(err)
		}
		back := pass(t, text)
		if f == provider.Anthropic {
			text = blocks(t, text)
		}
		equal(t, string(f), text, back)
	}
}

// blocks writes the content of each result as the list of one block of text that the
// API defines a string there to be short for. The SDK reads it so.
func blocks(t *testing.T, messages []byte) []byte {
	t.Helper()
	list := value(t, messages)
	for _, result := range list.([]any)[0].(map[string]any)["content"].([]any) {
		fields := result.(map[string]any)
		fields["content"] = []any{map[string]any{"type": "text", "text": fields["content"].(string)}}
	}
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
