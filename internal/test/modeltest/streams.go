package modeltest

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// streaming writes a model's answer, calls or else text, as its provider streams it.
type streaming func(w io.Writer, calls []ToolCall, text string)

func sse(w io.Writer, name, data string, args ...any) {
	if name != "" {
		fmt.Fprintf(w, "event: %s\n", name)
	}
	fmt.Fprintf(w, "data: "+data+"\n\n", args...)
}

// quote returns a text as JSON.
func quote(text string) string {
	quoted, _ := jsontext.AppendQuote(nil, text) // fails only on bad UTF-8, which it replaces
	return string(quoted)
}

// halves returns the two parts in which a text is streamed, split between characters.
func halves(text string) [2]string {
	middle := len(text) / 2
	for middle > 0 && !utf8.RuneStart(text[middle]) {
		middle--
	}
	return [2]string{text[:middle], text[middle:]}
}

// streams maps formats to their writers.
var streams = map[string]streaming{
	"openai": func(w io.Writer, calls []ToolCall, text string) {
		const chunk = `{"id":"x","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":%s,"finish_reason":%s}]}`
		sse(w, "", chunk, `{"role":"assistant","content":null}`, "null")
		reason := `"stop"`
		for i, c := range calls {
			sse(w, "", chunk,
				fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":"call_%d","type":"function","function":{"name":%s,"arguments":""}}]}`,
					i, i, quote(c.name)),
				"null")
			for _, half := range halves(c.args) {
				sse(w, "", chunk, fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":%s}}]}`, i, quote(half)), "null")
			}
			reason = `"tool_calls"`
		}
		for _, half := range halves(text) {
			sse(w, "", chunk, fmt.Sprintf(`{"content":%s}`, quote(half)), "null")
		}
		sse(w, "", chunk, `{}`, reason)
		sse(w, "", `{"id":"x","object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}}`)
		sse(w, "", "[DONE]")
	},
	"openai_responses": func(w io.Writer, calls []ToolCall, text string) {
		var items []string
		for i, c := range calls {
			items = append(items,
				fmt.Sprintf(`{"type":"function_call","id":"fc_%d","call_id":"call_%d","name":%s,"arguments":%s,"status":"completed"}`,
					i, i, quote(c.name), quote(c.args)))
		}
		sse(w, "response.created", `{"type":"response.created","response":{"id":"r","status":"in_progress","output":[]}}`)
		if text != "" {
			for _, half := range halves(text) {
				sse(w, "response.output_text.delta", `{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":%s}`, quote(half))
			}
			items = append(items, fmt.Sprintf(
				`{"type":"message","id":"m","role":"assistant","status":"completed","content":[{"type":"output_text","text":%s,"annotations":[]}]}`,
				quote(text),
			))
		}
		sse(w, "response.completed", `{"type":"response.completed","response":{"id":"r","object":"response","status":"completed","output":[%s],"usage":{"input_tokens":7,"output_tokens":3,"total_tokens":10}}}`,
			strings.Join(items, ","))
	},
	"anthropic": func(w io.Writer, calls []ToolCall, text string) {
		sse(w, "message_start", `{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"stop_reason":null,"usage":{"input_tokens":7,"output_tokens":1}}}`)
		reason := "end_turn"
		for i, c := range calls {
			sse(w, "content_block_start",
				`{"type":"content_block_start","index":%d,"content_block":{"type":"tool_use","id":"call_%d","name":%s,"input":{}}}`,
				i, i, quote(c.name))
			for _, half := range halves(c.args) {
				sse(w, "content_block_delta", `{"type":"content_block_delta","index":%d,"delta":{"type":"input_json_delta","partial_json":%s}}`,
					i, quote(half))
			}
			sse(w, "content_block_stop", `{"type":"content_block_stop","index":%d}`, i)
			reason = "tool_use"
		}
		if text != "" {
			sse(w, "content_block_start", `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`)
			for _, half := range halves(text) {
				sse(w, "content_block_delta", `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":%s}}`, quote(half))
			}
			sse(w, "content_block_stop", `{"type":"content_block_stop","index":0}`)
		}
		sse(w, "message_delta", `{"type":"message_delta","delta":{"stop_reason":%s},"usage":{"output_tokens":3}}`, quote(reason))
		sse(w, "message_stop", `{"type":"message_stop"}`)
	},
	"gemini": func(w io.Writer, calls []ToolCall, text string) {
		const chunk = `{"candidates":[{"index":0,"content":{"role":"model","parts":[%s]}%s}],"usageMetadata":{"totalTokenCount":10}}`
		for _, c := range calls {
			sse(w, "", chunk, fmt.Sprintf(`{"functionCall":{"name":%s,"args":%s}}`, quote(c.name), c.args), "")
		}
		if text != "" {
			for _, half := range halves(text) {
				sse(w, "", chunk, fmt.Sprintf(`{"text":%s}`, quote(half)), "")
			}
		}
		sse(w, "", chunk, "", `,"finishReason":"STOP"`)
	},
}
