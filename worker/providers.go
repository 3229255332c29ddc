package worker

import (
	"context"

	"github.com/helve-dev/helve/internal/toolbox"
	"github.com/helve-dev/helve/tool"
)

// Provider is a list of tools that are added and removed together.
type Provider struct {
	// Name identifies it on this worker.
	Name  string
	Tools []*tool.Tool
	// For, if set, restricts the tools to calls of these contexts: other calls get
	// tool_not_available, and agents that cannot have the tools do not see them.
	For *tool.Contexts
}

// Providers adds and removes tools while the worker runs. Calls that run finish on the
// tools they began with. A call goes to any worker of its pool, so all of them must have
// the same providers; after a removal on one worker the tools are no longer listed, even
// if other workers have them.
type Providers struct{ of *toolbox.Providers }

// Add offers the tools of a provider, all of them or none; those of pools that are not
// this worker's are left to others. It refuses a name that another provider has, and
// tools that the platform would refuse or whose names are taken. When it returns, this
// worker runs them and dispatchers are being notified.
func (p *Providers) Add(ctx context.Context, provider Provider) error {
	return p.of.Add(ctx, toolbox.Provider(provider))
}

// Remove removes a provider with all its tools, and returns their number; 0 if there is no
// provider of the name. If NATS is unreachable the provider stays, and can be removed
// later.
func (p *Providers) Remove(ctx context.Context, name string) (int, error) {
	return p.of.Remove(ctx, name)
}
