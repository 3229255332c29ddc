package e2e

import (
	"context"
	"time"

	"github.com/helve-dev/helve/tool"
)

type stepsArgs struct {
	N int `json:"n" doc:"How many steps to tell." min:"0" max:"100000"`
}

// stepsSet holds a tool that tells how far it is, as no built-in tool does yet.
func stepsSet() *tool.Set {
	set := tool.NewSet("Contract", "contract")
	tool.Add(set, tool.Spec[stepsArgs, string]{
		Name: "contract_steps", Description: "Tell n steps, a line and a part.",
		Risk: tool.Low, Mutates: false, Idempotent: true, Timeout: time.Minute,
		Run: func(_ context.Context, call *tool.Call, args stepsArgs) (string, error) {
			for i := range args.N {
				call.Progress(map[string]int{"step": i + 1, "of": args.N})
			}
			call.Log("all steps told")
			call.Partial("a part")
			return "told", nil
		},
	})
	tool.Add(set, tool.Spec[longArgs, int]{
		Name: "contract_long", Description: "Count the bytes of a text, when a person agrees.",
		Risk: tool.Medium, Mutates: true, Idempotent: true, Timeout: time.Minute,
		Run: func(_ context.Context, _ *tool.Call, args longArgs) (int, error) { return len(args.Text), nil },
	})
	return set
}

type longArgs struct {
	Text string `json:"text" doc:"Any text."`
}
