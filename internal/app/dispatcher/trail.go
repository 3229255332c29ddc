package dispatcher

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/audit/proof"
	"github.com/helve-dev/helve/internal/audit/trail"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/identity/keysync"
	"github.com/helve-dev/helve/internal/telemetry"
)

// openTrail returns what writes the dispatcher's records, and makes its key known to those that
// write records, until life ends.
func openTrail(life context.Context, cfg config.Config, kit *telemetry.Kit, q *queue.Queue) (trail.Writer, error) {
	keys, err := signingKeys(cfg, keysync.Seal)
	if err != nil {
		return trail.Writer{}, err
	}
	p, err := proof.NewDispatcher(keys.Signing)
	if err == nil {
		err = keysync.FollowOwn(life, q, keysync.Record, p, kit.Log, p.Key())
	}
	if err == nil { // other processes request the key's confirmation when it is published
		err = keysync.Vouch(q, keysync.Record, p)
	}
	if err == nil {
		err = keysync.Publish(life, q, keysync.Record, p.Key(), nil, kit.Log)
	}
	if err != nil {
		return trail.Writer{}, fmt.Errorf("keys of audit records: %w", err)
	}
	return trail.Writer{Queue: q, Metrics: kit.Metrics, Log: kit.Log, Proof: p}, nil
}
