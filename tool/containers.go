package tool

import (
	"context"
	"time"
)

// Containers runs commands in throw-away Docker containers: read-only root, no network
// unless requested, an unprivileged user, no capabilities, 1 CPU, 512 MB of memory, 100
// processes. Errors are [*Error]; without Docker every Run fails with not_configured.
type Containers interface {
	// Ready fails with not_configured, and the reason, if no container can run at all.
	// A Check calls it, so that no person is asked to approve a call that cannot run.
	Ready(ctx context.Context) error
	// Run runs a command to its end. A command that ran and failed, or was killed for
	// its time, memory or output, is not an error.
	Run(ctx context.Context, c Container) (Contained, error)
}

// Container describes one run.
type Container struct {
	// Image names the content that the image must have, such as "python"; the
	// operator's settings map it to an image. The image must be present already unless
	// the operator lets it be pulled.
	Image string
	// Command is the command and its arguments, executed without a shell.
	Command []string
	Env     []string
	Stdin   []byte
	// Files are written into /work before the command runs: contents by name. /work is
	// the working directory unless Workspace is set.
	Files map[string][]byte
	// Workspace mounts the call's workspace on /workspace and makes it the working
	// directory. ReadOnly mounts it read-only.
	Workspace, ReadOnly bool
	// Network gives the container network access.
	Network bool
	// MaxOutput bounds the part of stdout and of stderr that is kept, in bytes; 1 MiB
	// if 0.
	MaxOutput int
	// Timeout is the time after which the container is killed; 30 s if 0.
	Timeout time.Duration
}

// Contained is the outcome of a command in a container. Code is Docker's exit code: 128
// plus the signal's number if a signal ended the command.
type Contained struct {
	Ran

	// Image is the image that was used.
	Image string
	// TimedOut is set if the container was killed at its timeout, OutOfMemory if the
	// kernel killed one of its processes for lack of memory.
	TimedOut, OutOfMemory bool
}
