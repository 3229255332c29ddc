package worker

import (
	"context"
	"fmt"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/config"
	center "github.com/helve-dev/helve/internal/accounts/services"
	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/identity/vault"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/toolbox"
	"github.com/helve-dev/helve/internal/toolbox/equip"
	"github.com/helve-dev/helve/internal/tools/accounts"
	"github.com/helve-dev/helve/tool"
)

// followServices returns the config center of the stored entries above those of the
// operator's file, which may be nil. A worker apart has only the latter: it is a person's
// machine, which must not receive the entries of others.
func followServices(
	life context.Context, cfg config.Config, kit *telemetry.Kit, q *queue.Queue, below equip.Services,
) (equip.Services, error) {
	if q.Conn.Apart() {
		return below, nil
	}
	registry, err := openRegistry(cfg)
	if err != nil {
		return nil, err
	}
	keys, err := vault.Open(cfg.Secrets.KeyFile, cfg.Secrets.KeyEnv, func(err error) {
		kit.Log.Error("master keys not reloaded", zap.Error(err))
	})
	if err != nil {
		return nil, err
	}
	r := &center.Reader{Keys: keys, Registry: registry, Accounts: center.OverNATS{Queue: q}, Log: kit.Log}
	if below != nil {
		r.Below = below
	}
	bucket, err := q.Conn.Bucket(life, streams.BucketServices)
	if err != nil {
		return nil, err
	}
	return r, bucket.Follow(life, r.Change)
}

func openRegistry(cfg config.Config) (*center.Registry, error) {
	declared, err := center.ReadDeclared(cfg.ServiceTypes)
	if err != nil {
		return nil, fmt.Errorf("service_types: %w", err)
	}
	return center.NewRegistry(accounts.All(), declared)
}

// testService makes the request of a service's test, through the guard of tools.
func (p *ports) testService(ctx context.Context, r peer.DataRequest) (any, error) {
	reader, ok := p.Services.(*center.Reader)
	if !ok {
		return nil, tool.Fail(tool.NotConfigured,
			"this worker has no stored services; use a worker with --secrets-key that is not a person's own")
	}
	reader.Await(ctx, vault.Place{Tenant: r.Tenant, User: r.Person, Service: r.Service, Label: r.ID}, r.Version)
	return reader.Test(ctx, p.HTTP.Within(), p.dial, r.Tenant, r.Person, r.Service, r.ID)
}

// dial connects to the server of an entry that is tested by another protocol than HTTP, and
// signs in, through the guard of tools.
func (p *ports) dial(ctx context.Context, protocol string, secrets tool.Secrets, e tool.ServiceEntry) (int, error) {
	for _, part := range p.parts {
		if part.Dial != nil {
			return part.Dial(ctx, p.HTTP.Dialer(), protocol, secrets, e)
		}
	}
	return 0, tool.Fail(tool.NotConfigured, "this worker cannot test an entry of %s; the program needs the part worker/parts/%s",
		protocol, toolbox.Mail)
}
