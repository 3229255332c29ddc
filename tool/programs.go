package tool

import (
	"context"
	"io"
	"time"
)

// Programs runs programs of the worker's machine in the workspace of the call. A
// program is confined: it sees the workspace as its working directory and what the
// machine's programs and libraries need to run, nothing else of the disk; it has no
// network unless the Program asks for it; its environment holds nothing of the
// worker's. No shell is involved. When ctx ends, the program and everything it
// started are killed; its own end is the end of what it started, too. Where the
// worker cannot confine a program, it does not run: not_configured. Errors are
// [*Error].
type Programs interface {
	// Find says where the machine has a program, as a path on it for the port's own
	// use, never for a model; not_configured if it has none of that name.
	Find(name string) (string, error)
	// Run runs a program to its end. A program that ran and failed is no error:
	// that is in Ran. When ctx ended it, Ran holds what it had written.
	Run(ctx context.Context, p Program) (Ran, error)
}

// Program is one run of a program.
type Program struct {
	// Name is the program's name, without slashes; the operator's PATH says
	// where it lies. What lies in the workspace is never run by it.
	Name string
	Args []string
	// Dir is the directory of the workspace it runs in; empty for the top.
	Dir string
	// Env is added to the clean environment, as NAME=VALUE; the last of a name counts.
	Env []string
	// Stdin is what it reads; nothing if nil. It is not read further when the program
	// has ended, and a Read that is under way then is not waited for. On a terminal its
	// end is Ctrl-D, and nil is a person who types nothing.
	Stdin io.Reader
	// MaxOutput bounds what is kept of each of stdout and stderr, in bytes: the
	// beginning; 1 MiB if 0. What comes after it is read and dropped.
	MaxOutput int
	// MaxTotal ends a program that has written that many bytes in all; 64 MiB if 0.
	MaxTotal int64
	// Output, where set, is handed every piece of output as it comes, from one
	// goroutine at a time; it must not keep the slice.
	Output func(piece []byte)
	// Terminal runs it on a pseudo-terminal of 120×40 characters: stdout and
	// stderr are one then, and Stderr of Ran is empty.
	Terminal bool
	// Network lets it reach the network: every address that the worker reaches. A call
	// whose scopes restrict hosts is refused with permission_denied.
	Network bool
	// ReadOnly keeps it from changing the workspace.
	ReadOnly bool
	// Memory bounds the data of each of its processes, in bytes; 2 GiB if 0.
	Memory int64
	// Grace is how long it is given to end after ctx did, from SIGTERM to SIGKILL;
	// none if 0.
	Grace time.Duration
}

// Ran is how a program ended.
type Ran struct {
	// Code is its exit status; -1 if a signal ended it.
	Code int
	// Signal names what ended it, such as "killed"; empty if it exited.
	Signal string
	Stdout []byte
	Stderr []byte
	// StdoutCut and StderrCut are how many bytes were dropped.
	StdoutCut, StderrCut int64
	// Flooded says that it was ended for its output.
	Flooded  bool
	Duration time.Duration
}
