// Command launcher is the launcher of programs alone, for tests.
package main

import (
	"fmt"
	"os"

	"github.com/helve-dev/helve/internal/ports/programs"
)

func main() {
	programs.Child() // does not return in a process that was started as one
	fmt.Fprintln(os.Stderr, "launcher: only a worker can start it")
	os.Exit(2)
}
