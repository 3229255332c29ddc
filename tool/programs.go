package tool

import (
	"context"
	"io"
	"time"
)

// Programs runs programs of the worker's machine in the workspace of the call. A
// program is confined: it sees the workspace as its working directory and the files the
// machine's programs and libraries need to run, nothing else of the disk; it has no
// network unless the Program requests it; its environment contains nothing of the
// worker's. No shell is involved. When ctx ends, the program and every process it
// started are killed; when the program ends, the processes it started are killed too.
// If the worker cannot confine a program, it does not run it: not_configured. Errors
// are [*Error].
type Programs interface {
	// Find returns the path of a program on the machine, for the port's own use and
	// never for a model, or not_configured if there is no program of that name.
	Find(name string) (string, error)
	// Run runs a program to its end. A program that ran and failed is not an error: Ran
	// has its exit code. If ctx ended the program, Ran holds its output up to then.
	Run(ctx context.Context, p Program) (Ran, error)
}

// Program describes one run of a program.
type Program struct {
	// Name is the program's name, without slashes, looked up in the operator's PATH, then
	// among the programs that runs with Install made. Programs in the workspace are never
	// run by it.
	Name string
	Args []string
	// Dir is the working directory, relative to the workspace; empty for the top.
	Dir string
	// Env is added to the clean environment, as NAME=VALUE; the last value of a name
	// counts.
	Env []string
	// Stdin is the program's input; none if nil. Reading stops when the program ends,
	// and a Read in progress at that time is not waited for. On a terminal its end is
	// Ctrl-D, and nil acts like a person who types nothing.
	Stdin io.Reader
	// MaxOutput bounds the part of stdout and of stderr that is kept, in bytes: the
	// beginning; 1 MiB if 0. The rest is read and dropped.
	MaxOutput int
	// MaxTotal ends a program that has written this many bytes in all; 64 MiB if 0.
	MaxTotal int64
	// Output, if set, receives every piece of output as it arrives, from one goroutine
	// at a time; it must not retain the slice.
	Output func(piece []byte)
	// Terminal runs the program on a pseudo-terminal of 120×40 characters: stdout and
	// stderr are merged, and Stderr of Ran is empty.
	Terminal bool
	// Network gives the program network access to every address that the worker
	// reaches. A call whose scopes restrict hosts is refused with permission_denied.
	Network bool
	// ReadOnly prevents the program from changing the workspace.
	ReadOnly bool
	// Install names a program that this run installs. The run uses a directory of that
	// name instead of the workspace, and Find finds the program afterwards. It is outside
	// the workspace: only runs with Install write there.
	Install string
	// Apart runs the program in an empty directory instead of the workspace, so that no
	// file of a user configures it.
	Apart bool
	// Memory bounds the data of each process, in bytes; 2 GiB if 0.
	Memory int64
	// Grace is the time from SIGTERM to SIGKILL after ctx ends; none if 0.
	Grace time.Duration
}

// Ran is the outcome of a program.
type Ran struct {
	// Code is the exit status; -1 if a signal ended the program.
	Code int
	// Signal is the name of the signal that ended the program, such as "killed"; empty
	// if it exited.
	Signal string
	Stdout []byte
	Stderr []byte
	// StdoutCut and StderrCut are the numbers of bytes dropped.
	StdoutCut, StderrCut int64
	// Flooded is set if the program was ended because of its output.
	Flooded  bool
	Duration time.Duration
}
