// Command remote-go is a worker with a tool of its own: its arguments are a struct,
// from which Helve derives schema, checks and documentation. It runs separately from
// Helve's own tools, as another worker of its pool.
//
//	go run ./examples/remote-go --nats nats://127.0.0.1:4222 --pools examples
package main

import (
	"context"
	"time"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/worker"
)

var letters = tool.NewSet("Letters", "letters")

type countArgs struct {
	Text string `json:"text" doc:"Text whose letters are counted."`
}

type countResult struct {
	Letters map[string]int `json:"letters" doc:"How often each letter occurs."`
}

var _ = tool.Add(letters, tool.Spec[countArgs, countResult]{
	Name:        "count_letters",
	Description: "Count how often each letter occurs in a text.",
	Pool:        "examples",
	Risk:        tool.Low,
	Mutates:     false,
	Timeout:     5 * time.Second,
	Run: func(_ context.Context, _ *tool.Call, args countArgs) (countResult, error) {
		counts := map[string]int{}
		for _, letter := range args.Text {
			counts[string(letter)]++
		}
		return countResult{counts}, nil
	},
})

func main() { worker.Main(letters) }
