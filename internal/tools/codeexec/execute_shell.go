package codeexec

import (
	"context"

	"github.com/helve-dev/helve/tool"
)

type executeShellArgs struct {
	Command string  `json:"command" min:"1" doc:"Command line or script for bash; what it prints is what comes back."`
	Timeout float64 `json:"timeout" default:"10000" doc:"Milliseconds it may run, at most 30000."`
}

var _ = tool.Add(Set, tool.Spec[executeShellArgs, *executed]{
	Name: "execute_shell",
	Description: "Run a bash command line in a throw-away Linux container without network or files, to use its standard programs, " +
		"and return its output and exit code.",
	Tags:       []string{"terminal", "shell", "bash", "command", "cmd", "run", "cli", "script", "linux", "sandbox"},
	Risk:       tool.High,
	Mutates:    true,
	Idempotent: false,
	Scopes:     tool.Scopes{Apps: dockerApp},
	Verbatim:   []string{"command"},
	Needs:      tool.NeedContainers,
	Errors:     []tool.Kind{tool.NotConfigured, tool.ExecutionError},
	Example:    `{"command":"seq 5 | tac | tr '\\n' ' '"}`,
	Timeout:    scriptTimeout,
	Check:      checkShell,
	Run:        executeShell,
})

// checkShell refuses commands that wreck a machine before a person is asked. In the
// container they would do no harm, but people should not get used to approving them.
func checkShell(ctx context.Context, call *tool.Call, args executeShellArgs) error {
	if what := wrecks(args.Command, 0); what != "" {
		return tool.Fail(tool.PermissionDenied, "The command is blocked because it would %s; leave that out", what)
	}
	return ready(ctx, call, args)
}

func executeShell(ctx context.Context, call *tool.Call, args executeShellArgs) (*executed, error) {
	return script(ctx, call, "shell", "shell", "bash", "command.sh", args.Command, args.Timeout)
}
