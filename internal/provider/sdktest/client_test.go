package sdktest

import (
	"encoding/json"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"google.golang.org/genai"

	"github.com/helve-dev/helve/internal/provider"
)

// written is what Tools and Messages write, as the SDK's own types.
func written[T any](t *testing.T, text json.RawMessage, err error) T {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	v, _ := through[T](t, text)
	return v
}

// TestOpenAIClient: the client sends all tools, its model calls three at once, and the
// client sends back what came of them.
func TestOpenAIClient(t *testing.T) {
	srv := serve(t, "/v1/chat/completions",
		`{"id":"chatcmpl-1","object":"chat.completion","created":1764547200,"model":"gpt-test","choices":[{"index":0,"finish_reason":"tool_calls","logprobs":null,"message":{"role":"assistant","content":null,"refusal":null,"annotations":[],"tool_calls":[
			{"id":"call_1","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"notes.txt\"}"}},
			{"id":"call 2 😀","type":"function","function":{"name":"current_time","arguments":""}},
			{"id":"call_3","type":"function","function":{"name":"read_file","arguments":"{\"path\":"}}]}}],"usage":{"prompt_tokens":9,"completion_tokens":9,"total_tokens":18}}`,
		`{"id":"chatcmpl-2","object":"chat.completion","created":1764547200,"model":"gpt-test","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"Done.","refusal":null}}]}`)
	client := openai.NewClient(option.WithBaseURL(srv.URL+"/v1/"), option.WithAPIKey("none"), option.WithMaxRetries(0))
	tools, err := provider.OpenAI.Tools(catalogue())
	params := openai.ChatCompletionNewParams{
		Model:    "gpt-test",
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("What do my notes say?")},
		Tools:    written[[]openai.ChatCompletionToolUnionParam](t, tools, err),
	}
	first, err := client.Chat.Completions.New(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	message := first.Choices[0].Message
	calls, err := provider.OpenAI.Calls(json.RawMessage(message.RawJSON()))
	if err != nil {
		t.Fatal(err)
	}
	results := outcomes(t, calls, `call_1 read_file {"path":"notes.txt"}`, `call 2 😀 current_time {}`, `call_3 read_file `)
	messages, err := provider.OpenAI.Messages(calls, results)
	params.Messages = append(params.Messages, message.ToParam())
	params.Messages = append(params.Messages, written[[]openai.ChatCompletionMessageParamUnion](t, messages, err)...)
	again, err := json.Marshal(params.Messages[1])
	if err != nil {
		t.Fatal(err)
	}
	if fromParam, err := provider.OpenAI.Calls(again); err != nil || len(fromParam) != len(calls) {
		t.Errorf("the message as the client sends it back has %d calls (%v), want %d", len(fromParam), err, len(calls))
	}
	second, err := client.Chat.Completions.New(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	if got := second.Choices[0].Message.Content; got != "Done." {
		t.Errorf("the model ended with %q", got)
	}
	equal(t, "the tools at the provider", tools, srv.bodies[0]["tools"])
	equal(t, "the messages at the provider", messages, tail(t, srv.bodies[1]["messages"], 3))
}

func TestResponsesClient(t *testing.T) {
	srv := serve(t, "/v1/responses",
		`{"id":"resp_1","object":"response","created_at":1764547200,"status":"completed","error":null,"incomplete_details":null,"model":"gpt-test","parallel_tool_calls":true,"tool_choice":"auto","tools":[],"output":[
			{"id":"rs_1","type":"reasoning","summary":[]},
			{"id":"fc_1","type":"function_call","status":"completed","call_id":"call_1","name":"read_file","arguments":"{\"path\":\"notes.txt\"}"},
			{"id":"fc_2","type":"function_call","status":"completed","call_id":"call 2 😀","name":"current_time","arguments":"{}"}]}`,
		`{"id":"resp_2","object":"response","created_at":1764547200,"status":"completed","model":"gpt-test","output":[{"id":"msg_1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Done.","annotations":[]}]}]}`)
	client := openai.NewClient(option.WithBaseURL(srv.URL+"/v1/"), option.WithAPIKey("none"), option.WithMaxRetries(0))
	tools, err := provider.Responses.Tools(catalogue())
	params := responses.ResponseNewParams{
		Model: "gpt-test",
		Input: responses.ResponseNewParamsInputUnion{OfInputItemList: responses.ResponseInputParam{
			responses.ResponseInputItemParamOfMessage("What do my notes say?", responses.EasyInputMessageRoleUser),
		}},
		Tools: written[[]responses.ToolUnionParam](t, tools, err),
	}
	first, err := client.Responses.New(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	calls, err := provider.Responses.Calls(json.RawMessage(first.RawJSON()))
	if err != nil {
		t.Fatal(err)
	}
	results := outcomes(t, calls, `call_1 read_file {"path":"notes.txt"}`, `call 2 😀 current_time {}`)
	messages, err := provider.Responses.Messages(calls, results)
	params.PreviousResponseID = openai.String(first.ID)
	params.Input.OfInputItemList = written[responses.ResponseInputParam](t, messages, err)
	for i, item := range params.Input.OfInputItemList {
		if id := item.GetCallID(); id == nil || *id != calls[i].ID {
			t.Errorf("item %d answers another call than %q", i, calls[i].ID)
		}
	}
	second, err := client.Responses.New(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	if got := second.OutputText(); got != "Done." {
		t.Errorf("the model ended with %q", got)
	}
	equal(t, "the tools at the provider", tools, srv.bodies[0]["tools"])
	equal(t, "the input at the provider", messages, srv.bodies[1]["input"])
}

func TestAnthropicClient(t *testing.T) {
	srv := serve(t, "/v1/messages",
		`{"id":"msg_1","type":"message","role":"assistant","model":"claude-test","stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":9,"output_tokens":9},"content":[
			{"type":"text","text":"I look."},
			{"type":"tool_use","id":"toolu_1","name":"read_file","input":{"path":"notes.txt","limit":12345678901234567890}},
			{"type":"tool_use","id":"toolu 2 😀","name":"current_time","input":{}}]}`,
		`{"id":"msg_2","type":"message","role":"assistant","model":"claude-test","stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":9,"output_tokens":9},"content":[{"type":"text","text":"Done."}]}`)
	client := anthropic.NewClient(anthropicoption.WithBaseURL(srv.URL), anthropicoption.WithAPIKey("none"), anthropicoption.WithMaxRetries(0))
	tools, err := provider.Anthropic.Tools(catalogue())
	params := anthropic.MessageNewParams{
		Model:     "claude-test",
		MaxTokens: 1024,
		Messages:  []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("What do my notes say?"))},
		Tools:     written[[]anthropic.ToolUnionParam](t, tools, err),
	}
	first, err := client.Messages.New(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	calls, err := provider.Anthropic.Calls(json.RawMessage(first.RawJSON()))
	if err != nil {
		t.Fatal(err)
	}
	results := outcomes(t, calls, `toolu_1 read_file {"path":"notes.txt","limit":12345678901234567890}`, `toolu 2 😀 current_time {}`)
	messages, err := provider.Anthropic.Messages(calls, results)
	params.Messages = append(params.Messages, first.ToParam())
	params.Messages = append(params.Messages, written[[]anthropic.MessageParam](t, messages, err)...)
	second, err := client.Messages.New(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	if got := second.Content[0].Text; got != "Done." {
		t.Errorf("the model ended with %q", got)
	}
	equal(t, "the tools at the provider", tools, srv.bodies[0]["tools"])
	equal(t, "the message at the provider", blocks(t, messages), tail(t, srv.bodies[1]["messages"], 1))
}

func TestGeminiClient(t *testing.T) {
	srv := serve(t, "/v1beta/models/gemini-test:generateContent",
		`{"candidates":[{"finishReason":"STOP","index":0,"content":{"role":"model","parts":[
			{"text":"I look."},
			{"functionCall":{"name":"read_file","args":{"path":"notes.txt"}},"thoughtSignature":"c2ln"},
			{"functionCall":{"id":"id 2 😀","name":"current_time","args":{}}}]}}],"modelVersion":"gemini-test"}`,
		`{"candidates":[{"finishReason":"STOP","content":{"role":"model","parts":[{"text":"Done."}]}}]}`)
	client, err := genai.NewClient(t.Context(), &genai.ClientConfig{
		APIKey:      "none",
		Backend:     genai.BackendGeminiAPI,
		HTTPOptions: genai.HTTPOptions{BaseURL: srv.URL},
	})
	if err != nil {
		t.Fatal(err)
	}
	tools, err := provider.Gemini.Tools(catalogue())
	config := &genai.GenerateContentConfig{Tools: written[[]*genai.Tool](t, tools, err)}
	contents := []*genai.Content{genai.NewContentFromText("What do my notes say?", genai.RoleUser)}
	first, err := client.Models.GenerateContent(t.Context(), "gemini-test", contents, config)
	if err != nil {
		t.Fatal(err)
	}
	content := first.Candidates[0].Content
	message, err := json.Marshal(content) // this SDK does not keep the text it read
	if err != nil {
		t.Fatal(err)
	}
	calls, err := provider.Gemini.Calls(message)
	if err != nil {
		t.Fatal(err)
	}
	results := outcomes(t, calls, ` read_file {"path":"notes.txt"}`, `id 2 😀 current_time {}`)
	messages, err := provider.Gemini.Messages(calls, results)
	contents = append(append(contents, content), written[[]*genai.Content](t, messages, err)...)
	second, err := client.Models.GenerateContent(t.Context(), "gemini-test", contents, config)
	if err != nil {
		t.Fatal(err)
	}
	if got := second.Text(); got != "Done." {
		t.Errorf("the model ended with %q", got)
	}
	equal(t, "the tools at the provider", tools, srv.bodies[0]["tools"])
	equal(t, "the content at the provider", messages, tail(t, srv.bodies[1]["contents"], 1))
}
