package chat_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/client/chat"
)

// Ask a model once, without tools, and print its text as it arrives.
func Example() {
	api := provider(openaiText)
	defer api.Close()
	model, err := chat.New(chat.Options{Provider: "openai", Model: "gpt-5", BaseURL: api.URL + "/v1"})
	if err != nil {
		fmt.Println(err)
		return
	}
	conversation := []json.RawMessage{model.User("How many lines does notes.txt have?")}
	turn, err := model.Ask(context.Background(), conversation, nil, func(piece string) { fmt.Printf("%q\n", piece) })
	fmt.Println(turn.Text, turn.Calls, err)
	// Output:
	// "It has "
	// "two lines."
	// It has two lines. 0 <nil>
}

// Continue a conversation in another process: its state is JSON.
func ExampleNew_state() {
	api := provider(geminiText, geminiText)
	defer api.Close()
	srv := dispatcher("")
	defer srv.Close()
	model, err := chat.New(chat.Options{Provider: "gemini", Model: "gemini-3-flash", BaseURL: api.URL})
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
	var saved []byte
	loop := client.Loop{Client: c, Model: model, Save: func(s client.State) (err error) { saved, err = json.Marshal(s); return err }}
	_, first := loop.Ask(context.Background(), client.State{}, "How many lines does notes.txt have?")
	var state client.State
	fmt.Println(first, json.Unmarshal(saved, &state))
	answer, err := loop.Ask(context.Background(), state, "Are you sure?")
	fmt.Println(len(answer.State.Conversation), err)
	// Output:
	// <nil> <nil>
	// 4 <nil>
}

// A provider that refuses a request is a ModelError; its Temporary is set if a retry may help.
func ExampleNew_errors() {
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, `{"error": {"message": "Incorrect API key provided", "type": "invalid_request_error"}}`)
	}))
	defer api.Close()
	model, err := chat.New(chat.Options{Provider: "openai", Model: "gpt-5", BaseURL: api.URL + "/v1", Key: "sk-old"})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = model.Ask(context.Background(), []json.RawMessage{model.User("Hello")}, nil, func(string) {})
	fmt.Println(err)
	// Output: the model's provider answered 401: check the key; it says: Incorrect API key provided
}

// Read the key from the variable that the provider's own programs use, the usual one first.
func ExampleKeyVariable() {
	fmt.Println(chat.KeyVariable("anthropic"))
	fmt.Println(chat.KeyVariable("gemini"))
	// Output:
	// [ANTHROPIC_API_KEY]
	// [GEMINI_API_KEY GOOGLE_API_KEY]
}
