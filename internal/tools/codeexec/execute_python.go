package codeexec

import (
	"context"

	"github.com/helve-dev/helve/tool"
)

type executePythonArgs struct {
	Code    string  `json:"code" min:"1" doc:"Program for Python 3; what it prints is what comes back."`
	Timeout float64 `json:"timeout" default:"10000" doc:"Milliseconds it may run, at most 30000."`
}

var _ = tool.Add(Set, tool.Spec[executePythonArgs, *executed]{
	Name: "execute_python",
	Description: "Run a Python 3 program in a throw-away container without network or files, to compute or try something, and return its " +
		"output and exit code.",
	Tags:       []string{"code", "python", "py", "run", "script", "program", "calculate", "eval", "sandbox"},
	Risk:       tool.High,
	Mutates:    true,
	Idempotent: false,
	Scopes:     tool.Scopes{Apps: dockerApp},
	Verbatim:   []string{"code"},
	Needs:      tool.NeedContainers,
	Errors:     []tool.Kind{tool.NotConfigured, tool.ExecutionError},
	Example:    `{"code":"print(sum(range(101)))"}`,
	Timeout:    scriptTimeout,
	Check:      ready[executePythonArgs],
	Run:        executePython,
})

func executePython(ctx context.Context, call *tool.Call, args executePythonArgs) (*executed, error) {
	return script(ctx, call, "python", "python", "python3", "main.py", args.Code, args.Timeout)
}
