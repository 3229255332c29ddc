// Package upstreamtest provides MCP servers for tests: a correct server, and many faulty
// ones. They run as child processes of the test binary.
package upstreamtest

import (
	"fmt"
	"os"
)

// argument makes a test binary act as a server; the next argument is its mode.
const argument = "helve-test-mcp-server"

// Child serves if this process was started as a server, and then exits. A TestMain calls it
// first.
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

// exit ends the server's process.
func exit(code int) {
	os.Exit(code)
}

// Command returns the program and the arguments that start a server of a mode.
func Command(mode string) (program string, args []string) {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return self, []string{argument, mode}
}
