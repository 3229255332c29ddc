package chat_test

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/client/chat"
)

// Let a model of OpenAI's Chat Completions, or of a compatible server, call tools until it
// answers. The dispatcher runs the calls and returns the messages that follow.
func ExampleNew() {
	api := provider(openaiCall, openaiText)
	defer api.Close()
	srv := dispatcher(`{"role": "tool", "tool_call_id": "call_1", "content": "{\"status\":\"success\",\"result\":2}"}`)
	defer srv.Close()

	model, err := chat.New(chat.Options{Provider: "openai", Model: "gpt-5", BaseURL: api.URL + "/v1", Key: "sk-example"})
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := client.New(srv.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	loop := client.Loop{Client: c, Model: model, Context: client.Context{User: "ann"}}
	answer, err := loop.Ask(context.Background(), client.State{}, "How many lines does notes.txt have?")
	fmt.Println(answer.Text, err)
	// Output: It has two lines. <nil>
}

// Use a model of OpenAI's Responses.
func ExampleNew_responses() {
	api := provider(responsesCall, responsesText)
	defer api.Close()
	srv := dispatcher(`{"type": "function_call_output", "call_id": "call_1", "output": "{\"status\":\"success\",\"result\":2}"}`)
	defer srv.Close()

	model, err := chat.New(chat.Options{Provider: "openai_responses", Model: "gpt-5", BaseURL: api.URL + "/v1", Key: "sk-example"})
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := client.New(srv.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	loop := client.Loop{Client: c, Model: model, Context: client.Context{User: "ann"}}
	answer, err := loop.Ask(context.Background(), client.State{}, "How many lines does notes.txt have?")
	fmt.Println(answer.Text, err)
	// Output: It has two lines. <nil>
}

// Use a model of Anthropic's Messages.
func ExampleNew_anthropic() {
	api := provider(anthropicCall, anthropicText)
	defer api.Close()
	srv := dispatcher(`{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_1",
		"content": "{\"status\":\"success\",\"result\":2}"}]}`)
	defer srv.Close()

	model, err := chat.New(chat.Options{Provider: "anthropic", Model: "claude-sonnet-4-5", BaseURL: api.URL, Key: "sk-example"})
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := client.New(srv.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	loop := client.Loop{Client: c, Model: model, Context: client.Context{User: "ann"}}
	answer, err := loop.Ask(context.Background(), client.State{}, "How many lines does notes.txt have?")
	fmt.Println(answer.Text, err)
	// Output: It has two lines. <nil>
}

// Use a model of Gemini.
func ExampleNew_gemini() {
	api := provider(geminiCall, geminiText)
	defer api.Close()
	srv := dispatcher(`{"role": "user", "parts": [{"functionResponse": {"name": "count_lines",
		"response": {"status": "success", "result": 2}}}]}`)
	defer srv.Close()

	model, err := chat.New(chat.Options{Provider: "gemini", Model: "gemini-3-flash", BaseURL: api.URL, Key: "sk-example"})
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := client.New(srv.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	loop := client.Loop{Client: c, Model: model, Context: client.Context{User: "ann"}}
	answer, err := loop.Ask(context.Background(), client.State{}, "How many lines does notes.txt have?")
	fmt.Println(answer.Text, err)
	// Output: It has two lines. <nil>
}
