// Command helve-child is the children of a worker and nothing else: a child of the
// cage, or the launcher of a program. A worker uses it if it lies beside it and is of
// the same build, because it begins in a third of the time that the worker's own binary
// takes, which serves otherwise.
package main

import (
	"fmt"
	"os"

	"github.com/helve-dev/helve/internal/backend/programs/launch"
	"github.com/helve-dev/helve/internal/sandbox/inside"
)

func main() {
	inside.Child()
	launch.Child()
	fmt.Fprintln(os.Stderr, "helve-child: only a worker starts this; leave it beside the worker's program")
	os.Exit(2)
}
