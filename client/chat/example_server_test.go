package chat_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
)

// provider returns a server that answers the n-th request with the n-th stream of events,
// as a provider of models does. The events of a stream are its lines.
func provider(streams ...string) *httptest.Server {
	n := 0
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for line := range strings.Lines(strings.TrimSpace(streams[n])) {
			fmt.Fprintf(w, "data: %s\n\n", strings.TrimSpace(line))
		}
		n++
	}))
}

// dispatcher returns a server that lists no tools and answers the message of a model with
// the given messages, as the protocol describes.
func dispatcher(messages string) *httptest.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/tools", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"tools": []}`) })
	mux.HandleFunc("POST /v1/execute", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"results": [{"call_id": "c-0", "tool_call_id": "call_1", "tool": "count_lines", "status": "success",
			"state": "done", "result": 2}], "messages": [`+messages+`]}`)
	})
	return httptest.NewServer(mux)
}

// The streams of the providers: a call of count_lines, then a text.
const (
	openaiCall = `{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"call_1","function":{"name":"count_lines","arguments":"{}"}}]}}]}
		{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}
		[DONE]`
	openaiText = `{"choices":[{"index":0,"delta":{"content":"It has "}}]}
		{"choices":[{"index":0,"delta":{"content":"two lines."},"finish_reason":"stop"}]}
		[DONE]`

	responsesCall = `{"type":"response.completed","response":{"status":"completed","output":[` +
		`{"type":"function_call","id":"fc_1","call_id":"call_1","name":"count_lines","arguments":"{}"}]}}`
	responsesText = `{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"It has two lines."}
		{"type":"response.completed","response":{"status":"completed","output":[{"type":"message","role":"assistant",` +
		`"content":[{"type":"output_text","text":"It has two lines."}]}]}}`

	anthropicCall = `{"type":"message_start","message":{"role":"assistant","content":[]}}
		{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"call_1","name":"count_lines","input":{}}}
		{"type":"content_block_stop","index":0}
		{"type":"message_delta","delta":{"stop_reason":"tool_use"}}
		{"type":"message_stop"}`
	anthropicText = `{"type":"message_start","message":{"role":"assistant","content":[]}}
		{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}
		{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"It has two lines."}}
		{"type":"content_block_stop","index":0}
		{"type":"message_delta","delta":{"stop_reason":"end_turn"}}
		{"type":"message_stop"}`

	geminiCall = `{"candidates":[{"content":{"role":"model","parts":[` +
		`{"functionCall":{"name":"count_lines","args":{}}}]},"finishReason":"STOP"}]}`
	geminiText = `{"candidates":[{"content":{"role":"model","parts":[{"text":"It has two lines."}]},"finishReason":"STOP"}]}`
)
