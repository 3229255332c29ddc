package system

import (
	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/worker"
)

// Plan describes a system. The zero value is one dispatcher and one worker on a server of
// their own.
type Plan struct {
	Dispatchers, Workers int
	// URL is an existing NATS server to use.
	URL string
	// Groups are the groups of tools that are switched on.
	Groups []string
	// Config changes the configuration before the start.
	Config func(*config.Config)
	// Options change how the dispatchers use the queue.
	Options func(*queue.Options)
	// Program is added to the tools of the workers.
	Program worker.Program
	// Apart gives the first dispatcher telemetry of its own, as it has where dispatchers and
	// workers are different programs.
	Apart bool
	// Before runs first, if it is not nil.
	Before func() error
}
