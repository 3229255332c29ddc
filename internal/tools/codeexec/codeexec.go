// Package codeexec holds the tools that run code: scripts, shells, compilers and
// package managers.
//
// Nothing of it runs outside a container: what a call brings is put into one through
// [tool.Containers], which also holds what it may use of time, memory and output.
// What is refused here beyond that (commands that would wreck a machine, options of
// package managers that lead elsewhere) spares people mistakes; the container is what
// keeps code in. Only package_manager sees the workspace, and only the commands of it
// that fetch something have a network.
package codeexec

import (
	"context"

	"github.com/helve-dev/helve/tool"
)

// Set is the tools of this package.
var Set = tool.NewSet("Code Execution", "codeExecution")

// ready is the check of tools whose arguments need none: nobody is asked to allow
// what cannot run.
func ready[Args any](ctx context.Context, call *tool.Call, _ Args) error {
	return call.Containers.Ready(ctx)
}

// dockerApp is what every tool here reaches: a policy can name it to narrow them.
var dockerApp = []string{"docker"}
