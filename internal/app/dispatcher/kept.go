package dispatcher

import (
	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/audit/keep"
	"github.com/helve-dev/helve/internal/bus/kept"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/identity/vault"
	"github.com/helve-dev/helve/internal/telemetry"
)

// openKeeper returns what keeps calls for longer than their results.
func openKeeper(cfg config.Config, kit *telemetry.Kit, q *queue.Queue, keys vault.Wrapper, cat *catalog.Tenants) *keep.Keeper {
	return &keep.Keeper{
		Store: kept.On(q.Conn), Rules: cfg.History.Keep.Parsed(), Keys: keys, Hide: dispatch.Hidden{Catalog: cat}.Kept,
		Metrics: kit.Metrics, Log: kit.Log,
	}
}
