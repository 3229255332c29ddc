package main

import (
	"path/filepath"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/bus/embedded"
	"github.com/helve-dev/helve/internal/cli"
	"github.com/helve-dev/helve/internal/server/natsauth"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/toolbox"
)

// natsAccess returns the credentials of the embedded NATS server. If callers must
// authenticate over HTTP, NATS must not be open either; if they need not, it requires
// no credentials.
func natsAccess(cfg config.Config, kit *telemetry.Kit) (*natsauth.Local, []embedded.User, error) {
	if cfg.Auth.KeysFile == "" && cfg.Auth.Issuer == "" {
		kit.Log.Warn("no authentication configured: every process on this machine may do everything")
		return nil, nil, nil
	}
	dir, err := filepath.Abs(filepath.Join(cfg.Data, cli.LocalNATS))
	if err != nil {
		return nil, nil, err
	}
	access := &natsauth.Local{
		Dir:      dir,
		Prefix:   cfg.NATS.Prefix,
		Pools:    toolbox.Queues(cfg),
		Affinity: cfg.Worker.Affinity == config.AffinityUser,
	}
	users, err := access.Users()
	if err != nil {
		return nil, nil, err
	}
	var all []embedded.User
	for _, u := range users {
		all = append(all, embedded.User{Key: u.Key, Publish: u.May.Publish, Subscribe: u.May.Subscribe, Answer: u.May.Answer})
	}
	return access, all, nil
}
