package worker_test //nolint:testableexamples // Main runs until it is told to stop

import (
	"context"
	"time"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/worker"
)

var greetings = tool.NewSet("Greetings", "greetings")

type greetArgs struct {
	Name string `json:"name" doc:"Who is greeted."`
}

var _ = tool.Add(greetings, tool.Spec[greetArgs, string]{
	Name:        "greet",
	Description: "Greet somebody by name; returns the greeting.",
	Risk:        tool.Low,
	Mutates:     false,
	Timeout:     time.Second,
	Run: func(_ context.Context, _ *tool.Call, args greetArgs) (string, error) {
		return "Hello, " + args.Name + "!", nil
	},
})

// A complete worker program: its tools, and one line.
func ExampleMain() {
	worker.Main(greetings)
}
