package api

import (
	"context"
	"math"
	"time"

	"github.com/helve-dev/helve/internal/toolbox/remote"
	"github.com/helve-dev/helve/protocol"
)

// Remotes stores registrations of processes that run tools.
type Remotes interface {
	// Register adds or renews a registration and returns the names of its tools.
	Register(ctx context.Context, tenant string, r remote.Registration) ([]string, error)
	// Unregister removes a registration and reports whether it existed.
	Unregister(ctx context.Context, tenant, instance string) (bool, error)
	// Instances returns the live processes.
	Instances(tenant string) []protocol.RemoteInstance
}

func (s *Service) registerRemote(ctx context.Context, in Input) (Reply, error) {
	if s.Remotes == nil {
		return Reply{}, Unavailable("this dispatcher takes no registrations")
	}
	var body protocol.RegisterRequest
	if err := parseBody(in.Body, &body, `{"instance": "billing-1", "ttl_ms": 15000, "tools": [{"name": …}]}`); err != nil {
		return Reply{}, err
	}
	// A time beyond Duration's range is as wrong as any that is too long.
	ttl := time.Duration(math.Min(body.TTLMS, math.MaxInt32)) * time.Millisecond
	r := remote.Registration{Instance: body.Instance, TTL: ttl, Tools: body.Tools}
	names, err := s.Remotes.Register(ctx, in.Tenant, r)
	if err != nil {
		return Reply{}, err
	}
	return answer(protocol.Registered{HeartbeatMS: (ttl / 3).Milliseconds(), Instance: body.Instance, Tools: names, TTLMS: ttl.Milliseconds()})
}

func (s *Service) listRemote(_ context.Context, in Input) (Reply, error) {
	if s.Remotes == nil {
		return Reply{}, Unavailable("this dispatcher takes no registrations")
	}
	return answer(protocol.RemoteList{Instances: array(s.Remotes.Instances(in.Tenant))})
}

func (s *Service) unregisterRemote(ctx context.Context, in Input) (Reply, error) {
	if s.Remotes == nil {
		return Reply{}, Unavailable("this dispatcher takes no registrations")
	}
	var body protocol.UnregisterRequest
	if err := parseBody(in.Body, &body, `{"instance": "billing-1"}`); err != nil {
		return Reply{}, err
	}
	was, err := s.Remotes.Unregister(ctx, in.Tenant, body.Instance)
	if err != nil {
		return Reply{}, err
	}
	return answer(protocol.Unregistered{Instance: body.Instance, Was: was})
}
