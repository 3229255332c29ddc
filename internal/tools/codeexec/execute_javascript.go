package codeexec

import (
	"context"

	"github.com/helve-dev/helve/tool"
)

type executeJavaScriptArgs struct {
	Code    string  `json:"code" min:"1" doc:"Program for Node.js; what it prints is what comes back."`
	Timeout float64 `json:"timeout" default:"10000" doc:"Milliseconds it may run, at most 30000."`
}

var _ = tool.Add(Set, tool.Spec[executeJavaScriptArgs, *executed]{
	Name: "execute_javascript",
	Description: "Run a JavaScript program with Node.js in a throw-away container without network or files, to compute or try something, " +
		"and return its output and exit code.",
	Tags:       []string{"code", "javascript", "js", "run", "script", "calculate", "program", "node", "eval", "sandbox"},
	Risk:       tool.High,
	Mutates:    true,
	Idempotent: false,
	Scopes:     tool.Scopes{Apps: dockerApp},
	Verbatim:   []string{"code"},
	Needs:      tool.NeedContainers,
	Errors:     []tool.Kind{tool.NotConfigured, tool.ExecutionError},
	Example:    `{"code":"console.log([1, 2, 3].map(n => n * n))"}`,
	Timeout:    scriptTimeout,
	Check:      ready[executeJavaScriptArgs],
	Run:        executeJavaScript,
})

func executeJavaScript(ctx context.Context, call *tool.Call, args executeJavaScriptArgs) (*executed, error) {
	return script(ctx, call, "javascript", "node", "node", "main.js", args.Code, args.Timeout)
}
