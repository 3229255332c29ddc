package front

import (
	"context"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/trail"
	"github.com/helve-dev/helve/internal/upstream/pins"
)

// openUpstream is where operators accept what MCP servers say of their tools.
func openUpstream(life context.Context, b *bus.Bus, t trail.Trail) (*pins.Desk, error) {
	bucket, err := b.Bucket(life, bus.BucketUpstream)
	if err != nil {
		return nil, err
	}
	return &pins.Desk{Bucket: bucket, Record: t.Write}, nil
}
