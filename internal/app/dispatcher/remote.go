package dispatcher

import (
	"context"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/toolbox/remote"
	"github.com/helve-dev/helve/tool"
)

// openRemote follows the registrations of remote processes and accepts new ones.
func openRemote(
	life context.Context, cfg config.Config, kit *telemetry.Kit, q *queue.Queue, cat *catalog.Tenants,
) (*remote.Registrar, error) {
	bucket, err := q.Conn.Bucket(life, streams.BucketRemote)
	if err != nil {
		return nil, err
	}
	registry, err := remote.Open(life, bucket, cat, kit.Log)
	if err != nil {
		return nil, err
	}
	registrar := remote.NewRegistrar(registry, cfg.Policy.Permissions)
	registrar.Operator = func(name string) (tool.Risk, string, bool) {
		set, ok := cfg.Remote.Of(name)
		return tool.Risk(set.Risk), set.Group, ok
	}
	return registrar, nil
}
