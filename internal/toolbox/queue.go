package toolbox

import (
	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/bus/queue"
)

// Queues returns the pools whose calls a worker takes: those of its configuration, but
// in place of the pool of the desktop, where the desktop is one person's, the pool of that
// person. So the calls of others never come to the person's machine.
func Queues(cfg config.Config) []string {
	queues := make([]string, len(cfg.Worker.Pools))
	for i, pool := range cfg.Worker.Pools {
		if pool == Desktop && cfg.Desktop.Tenant != "" && cfg.Desktop.User != "" {
			pool = queue.PersonPool(pool, cfg.Desktop.Tenant, cfg.Desktop.User)
		}
		queues[i] = pool
	}
	return queues
}

// DefaultPool is the pool of Helve's own workers.
const DefaultPool = "default"
