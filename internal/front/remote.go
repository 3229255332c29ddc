package front

import (
	"context"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/catalog"
	"github.com/helve-dev/helve/internal/remote"
	"github.com/helve-dev/helve/internal/telemetry"
)

// openRemote learns which processes outside run tools, and takes their registrations.
func openRemote(life context.Context, cfg config.Config, kit *telemetry.Kit, b *bus.Bus, cat *catalog.Tenants) (*remote.Desk, error) {
	bucket, err := b.Bucket(life, bus.BucketRemote)
	if err != nil {
		return nil, err
	}
	book, err := remote.Open(life, bucket, cat, kit.Log)
	if err != nil {
		return nil, err
	}
	return remote.NewDesk(book, cfg.Policy.Permissions), nil
}
