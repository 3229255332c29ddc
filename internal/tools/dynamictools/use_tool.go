package dynamictools

import (
	"encoding/json"
	"time"

	"github.com/helve-dev/helve/tool"
)

type useArgs struct {
	ToolName  string      `json:"tool_name" doc:"The tool to call." min:"1" max:"64"`
	Arguments tool.Object `json:"arguments" doc:"Its arguments."`
}

var _ = tool.Add(Set, tool.Spec[useArgs, any]{
	Name:        "use_tool",
	Description: "Call any tool by its name, also one that was not offered to you; returns what that tool returns.",
	Tags:        []string{"execute", "run tool", "call tool", "invoke"},
	// The call has the outcome of the tool it names.
	Errors: []tool.Kind{
		tool.NotFound, tool.ExecutionError, tool.PathNotAllowed, tool.FileNotFound, tool.FileTooLarge, tool.NetworkError, tool.NotConfigured,
		tool.Unsupported,
	},
	Example: `{"tool_name":"convert_units","arguments":{"value":26.2,"from":"miles","to":"km"}}`,
	Risk:    tool.Low,
	Mutates: false,
	// The called tool has a time limit of its own.
	Timeout: 10 * time.Minute,
	Delegate: func(args useArgs) (string, json.RawMessage, error) {
		return args.ToolName, json.RawMessage(args.Arguments), nil
	},
})
