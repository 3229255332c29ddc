package tool

import (
	"context"
	"time"
)

// Containers runs commands in throw-away Docker containers: read-only root, no
// network unless asked for, an unprivileged user, no capabilities, 1 CPU, 512 MB of
// memory, 100 processes. Errors are [*Error]; without Docker every Run is
// not_configured.
type Containers interface {
	// Ready fails where no container can run at all: not_configured says what is
	// missing. A Check asks it, so that no person is asked about a call in vain.
	Ready(ctx context.Context) error
	// Run runs a command to its end. A command that ran and failed, or was killed
	// for its time, memory or output, is no error.
	Run(ctx context.Context, c Container) (Contained, error)
}

// Container is one run.
type Container struct {
	// Image says what must be in the image, such as "python"; the operator's
	// settings say which image that is. It must be there already, or the operator
	// lets it be pulled.
	Image string
	// Command is what runs in it, without a shell.
	Command []string
	Env     []string
	Stdin   []byte
	// Files are put into /work, the working directory, before the command runs:
	// contents by name.
	Files map[string][]byte
	// Workspace mounts the call's workspace on /workspace, which is the working
	// directory then, and ReadOnly that it cannot be changed there.
	Workspace, ReadOnly bool
	// Network lets it reach the network.
	Network bool
	// MaxOutput bounds what is kept of each of stdout and stderr, in bytes; 1 MiB if 0.
	MaxOutput int
	// Timeout is when it is killed; 30 s if 0.
	Timeout time.Duration
}

// Contained is how a command in a container ended. Its Code is what Docker says:
// 128 and the number of the signal where one ended it.
type Contained struct {
	Ran

	// Image is the image it ran in.
	Image string
	// TimedOut says that it was killed for its time, OutOfMemory that the kernel
	// killed a process of it for its memory.
	TimedOut, OutOfMemory bool
}
