// Command own-worker is a worker with one tool, in a pool of its own: calls of other
// tools go to workers that have them. It joins any Helve system:
//
//	go mod tidy
//	go run . --nats nats://127.0.0.1:4222
package main

import (
	"context"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/worker"
)

// Set holds the tools of this worker.
var Set = tool.NewSet("Words", "words")

type tallyWordsArgs struct {
	Text string `json:"text" doc:"Text whose words are counted."`
}

type tallyWordsResult struct {
	Words int `json:"words"`
}

var _ = tool.Add(Set, tool.Spec[tallyWordsArgs, tallyWordsResult]{
	Name:        "tally_words",
	Description: "Count the words of a text; returns their number.",
	Risk:        tool.Low,
	Mutates:     false,
	Timeout:     10 * time.Second,
	Pool:        "words",
	Example:     `{"text":"to be or not"}`,
	Run: func(_ context.Context, _ *tool.Call, args tallyWordsArgs) (tallyWordsResult, error) {
		return tallyWordsResult{Words: len(strings.Fields(args.Text))}, nil
	},
})

func main() { worker.Main(Set) }
