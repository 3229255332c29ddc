// Package upstreamtest is MCP servers for tests: one that behaves, and many that do not.
// They run as child processes of the test binary.
package upstreamtest

import (
	"fmt"
	"os"
)

// argument makes a server of a test binary; what follows is its mode.
const argument = "helve-test-mcp-server"

// Child serves if this process was started as a server, and then ends it. A TestMain
// calls it first.
func Child() {
	if len(os.Args) < 3 || os.Args[1] != argument {
		return
	}
	mode := os.Args[2]
	fmt.Fprintln(os.Stderr, "a server of the mode", mode)
	if mode == "good" {
		good()
	} else {
		(&raw{mode: mode}).serve()
	}
	exit(0)
}

// exit ends the process, which is a server's own.
func exit(code int) {
	os.Exit(code) //nolint:forbidigo // it is a command
}

// Command is what starts a server of that mode: a program and its arguments.
func Command(mode string) (program string, args []string) {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return self, []string{argument, mode}
}
