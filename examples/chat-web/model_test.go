package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/modeltest"
)

// serveModel starts a model that obeys its input: for "steps" and "hold" it calls these
// tools, for "guard KEY" a tool that needs approval, for "ask ARGS" a question, for
// "call TOOL ARGS" that tool; it repeats everything else. It also repeats the results of tools, and adds hostile text.
func serveModel(t *testing.T) *modeltest.Server {
	t.Helper()
	return modeltest.ServeBy(t, "openai", func(_ int, body string) modeltest.Turn {
		last := lastOf(body)
		word, rest, _ := strings.Cut(last.Content, " ")
		switch {
		case last.Role == "tool":
			return modeltest.Says("It came to: " + last.Content + hostile)
		case word == "steps":
			return modeltest.Calls(modeltest.Call("demo_steps", `{}`))
		case word == "hold":
			return modeltest.Calls(modeltest.Call("demo_hold", `{}`))
		case word == "guard":
			return modeltest.Calls(modeltest.Call("debug_guarded", fmt.Sprintf(`{"key":%q}`, rest)))
		case word == "ask":
			return modeltest.Calls(modeltest.Call("ask_user", rest))
		case word == "call":
			name, args, _ := strings.Cut(rest, " ")
			return modeltest.Calls(modeltest.Call(name, args))
		}
		return modeltest.Says("You said: " + last.Content)
	})
}

type message struct{ Role, Content string }

// lastOf is the last message of a request of OpenAI's.
func lastOf(body string) message {
	var asked struct{ Messages []message }
	if err := json.Unmarshal([]byte(body), &asked); err != nil || len(asked.Messages) == 0 {
		return message{Content: fmt.Sprintf("something unreadable: %v", err)}
	}
	return asked.Messages[len(asked.Messages)-1]
}

// serveModelOf is a model of the provider that the arguments of a front end name. It says
// hello.
func serveModelOf(t *testing.T, args []string) *modeltest.Server {
	t.Helper()
	format := "openai"
	if i := slices.Index(args, "--provider"); i >= 0 {
		format = args[i+1]
	}
	return modeltest.Serve(t, format, modeltest.Says("You said: hello"))
}
