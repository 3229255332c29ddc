// Command worker executes tool calls with the built-in tools. Any number of workers may
// serve one pool.
package main

import (
	"github.com/helve-dev/helve/internal/tools"
	"github.com/helve-dev/helve/worker"
	"github.com/helve-dev/helve/worker/parts"
)

func main() { worker.Program{Sets: tools.Builtin(), Parts: parts.All()}.Main() }
