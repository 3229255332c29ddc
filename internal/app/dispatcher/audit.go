package dispatcher

import (
	"context"
	"path/filepath"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/audit/keep"
	"github.com/helve-dev/helve/internal/audit/trail"
	"github.com/helve-dev/helve/internal/identity/keyfile"
	"github.com/helve-dev/helve/internal/identity/keysync"
	"github.com/helve-dev/helve/internal/server/audits"
	"github.com/helve-dev/helve/internal/telemetry"
)

// openAudit starts sealing, copying and answering queries, until life ends. The returned function
// waits for that.
func openAudit(
	life context.Context, cfg config.Config, kit *telemetry.Kit, t trail.Writer, k *keep.Keeper,
) (*audits.Auditor, func(), error) {
	keys, err := signingKeys(cfg, keysync.Seal)
	if err != nil {
		return nil, nil, err
	}
	return audits.Open(life, audits.Options{Config: cfg, Kit: kit, Trail: t, Keys: keys, Keeper: k})
}

// signingKeys loads the keys of a purpose.
func signingKeys(cfg config.Config, purpose string) (keyfile.Set, error) {
	dir := cfg.Keys.Dir
	if dir == "" {
		dir = filepath.Join(cfg.Data, "keys")
	}
	return keyfile.LoadSet(dir, purpose)
}
