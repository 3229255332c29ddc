// Command worker executes tool calls with the built-in tools. Any number of
// them may serve one pool.
package main

import (
	"github.com/helve-dev/helve/internal/tools"
	"github.com/helve-dev/helve/worker"
)

func main() { worker.Main(tools.Builtin()...) }
