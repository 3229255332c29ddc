// Package codeexec holds the tools that run code: scripts, shells, compilers and
// package managers.
//
// Nothing runs outside a container. The code of a call is put into one through
// [tool.Containers], which also limits time, memory and output. The additional checks
// here (commands that would wreck a machine, options of package managers that lead
// elsewhere) prevent mistakes; the container is the security boundary. Only
// package_manager sees the workspace, and only those of its commands that download
// something have a network.
package codeexec

import (
	"context"

	"github.com/helve-dev/helve/tool"
)

// Set holds the tools of this package.
var Set = tool.NewSet("Code Execution", "codeExecution")

// ready is the check of tools whose arguments need none: no person is asked about code
// that cannot run.
func ready[Args any](ctx context.Context, call *tool.Call, _ Args) error {
	return call.Containers.Ready(ctx)
}

// dockerApp is the app that every tool here reaches: a policy can name it to restrict
// them.
var dockerApp = []string{"docker"}
