package system

import (
	"context"
	"time"

	"github.com/helve-dev/helve/tool"
)

type stepsArgs struct {
	N int `json:"n" doc:"How many steps to tell." min:"0" max:"100000"`
}

// contractTools holds a tool that reports progress, as no built-in tool does yet.
func contractTools() *tool.Set {
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
		Name: "contract_long", Aliases: []string{"contract.former"}, Description: "Count the bytes of a text, when a person agrees.",
		Risk: tool.Medium, Mutates: true, Idempotent: true, Timeout: time.Minute,
		Run: func(_ context.Context, _ *tool.Call, args longArgs) (int, error) { return len(args.Text), nil },
	})
	tool.Add(set, tool.Spec[wordArgs, string]{
		Name: "contract_far", Description: "Say a word, in a pool of its own.", Pool: "far", Group: "contractMore",
		Risk: tool.Low, Mutates: false, Idempotent: true, Timeout: time.Minute,
		Run: func(context.Context, *tool.Call, wordArgs) (string, error) { return "far away", nil },
	})
	word := func(_ context.Context, _ *tool.Call, args wordArgs) (string, error) { return args.Word, nil }
	tool.Add(set, tool.Spec[wordArgs, string]{
		Name: "contract_both", Description: "Say a word, when a person agrees and has given the permission.",
		Risk: tool.Medium, Mutates: true, Timeout: time.Minute, RequiredPermissions: []string{"debug.permission"}, Run: word,
	})
	tool.Add(set, tool.Spec[wordArgs, string]{
		Name: "contract_high", Description: "Say a word, at high risk.",
		Risk: tool.High, Mutates: true, Timeout: time.Minute, Scopes: tool.Scopes{Paths: []string{"workspace"}}, Run: word,
	})
	tool.Add(set, tool.Spec[wordArgs, string]{
		Name: "contract_permitted", Description: "Say a word, with the permission.",
		Risk: tool.Low, Mutates: true, Idempotent: true, Timeout: time.Minute, RequiredPermissions: []string{"debug.permission"}, Run: word,
	})
	return set
}

type wordArgs struct {
	Word string `json:"word,omitempty" doc:"Any word."`
}

type longArgs struct {
	Text string `json:"text" doc:"Any text."`
}
