// Command helve-child is only the children of a worker: a child of the sandbox, or the
// launcher of a program. A worker uses it if it is in the worker's directory and from
// the same build, because it starts in a third of the time of the worker's own binary,
// which is used otherwise.
package main

import (
	"fmt"
	"os"

	"github.com/helve-dev/helve/internal/ports/programs/launch"
	"github.com/helve-dev/helve/internal/toolbox/sandbox/child"
)

func main() {
	child.Main()
	launch.Child()
	fmt.Fprintln(os.Stderr, "helve-child: only a worker can start this program; keep it in the worker's directory")
	os.Exit(2)
}
