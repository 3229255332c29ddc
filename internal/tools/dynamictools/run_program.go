package dynamictools

import (
	"context"
	"encoding/json"
	"time"

	"github.com/helve-dev/helve/tool"
)

type runArgs struct {
	Code           string          `json:"code" doc:"JavaScript: the body of async function (tools, input, program), not a function. tools.NAME(args) calls a tool and resolves with its result, or rejects with an Error that has error_type, call_id and message; await calls one after the other, or several with Promise.all. What the code returns is the result. program has: ask(question, schema) asks the person and resolves with the answer; sleep(ms, '90s', '2h', '1d' or an ISO time); now() and today(); log(value…); step(name, async () => …) names a part for people who read along; id. There are no modules, timers, network or files beside the tools." min:"1"`
	Input          json.RawMessage `json:"input,omitempty" doc:"Any JSON value, which the code has as input."`
	Tools          []string        `json:"tools,omitempty" doc:"The tools that the code may call, as names or as patterns that end in *; without it all that you may use."`
	TimeoutSeconds float64         `json:"timeout_seconds,omitempty" doc:"How long the program may take in all, with the time in which it waits for people and times: an hour if absent, at most 30 days." min:"1" max:"2592000"`
}

var _ = tool.Add(Set, tool.Spec[runArgs, any]{
	Name: "run_program",
	Description: "Run a small program that calls tools, so that many calls, or calls that depend on each other, need one request and " +
		"their results stay out of the conversation; each call is checked and recorded as if you had made it, the program waits for " +
		"people and times as long as it must, and it returns what its code returns.",
	Tags:     []string{"code mode", "script", "loop", "batch", "workflow", "automation", "many calls", "wait", "javascript"},
	Group:    "programs",
	Risk:     tool.Low,
	Mutates:  false, // its steps have their own
	Durable:  true,
	Verbatim: []string{"code"},
	Errors:   []tool.Kind{tool.NotConfigured, tool.ToolNotFound, tool.ExecutionError, tool.Unsupported},
	Example:  `{"code":"const open = await tools.list_tasks({status: \"pending\"});\nreturn open.tasks.map(t => t.title);"}`,
	Needs:    tool.NeedDurable,
	Timeout:  30 * 24 * time.Hour,
	Run: func(ctx context.Context, call *tool.Call, args runArgs) (any, error) {
		res, err := call.Durable.Run(ctx, call, tool.DurableCode{Code: args.Code, Input: args.Input, Tools: args.Tools})
		return returned(res), err
	},
})

// returned is the value that the code returned, as it is.
type returned tool.Result

// MarshalJSON implements [json.Marshaler].
func (r returned) MarshalJSON() ([]byte, error) {
	if len(r.Value) == 0 {
		return []byte("null"), nil
	}
	return r.Value, nil
}

// Present implements [tool.Presenter].
func (r returned) Present(to *tool.Result) { to.Metadata = r.Metadata }
