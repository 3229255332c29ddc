package api

import (
	"context"
	"encoding/json"
	"math"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/internal/remote"
)

// Remotes takes registrations of processes that run tools.
type Remotes interface {
	// Register takes one in, or hears that it is still there, and returns the names of
	// its tools.
	Register(ctx context.Context, tenant string, r remote.Registration) ([]string, error)
	// Unregister takes one out and reports whether it was there.
	Unregister(ctx context.Context, tenant, instance string) (bool, error)
}

// RegisterRequest is the body of remote.register.
type RegisterRequest struct {
	Instance string           `json:"instance"`
	TTLMS    float64          `json:"ttl_ms"`
	Tools    []jsontext.Value `json:"tools"`
}

// Registered answers remote.register.
type Registered struct {
	HeartbeatMS int64    `json:"heartbeat_ms"`
	Instance    string   `json:"instance"`
	Tools       []string `json:"tools"`
	TTLMS       int64    `json:"ttl_ms"`
}

// UnregisterRequest is the body of remote.unregister.
type UnregisterRequest struct {
	Instance string `json:"instance"`
}

// Unregistered answers remote.unregister.
type Unregistered struct {
	Instance string `json:"instance"`
	Was      bool   `json:"unregistered"`
}

// WithRemotes lets the service take registrations, which it otherwise does not.
func (s *Service) WithRemotes(r Remotes) *Service {
	s.remotes = r
	return s
}

func (s *Service) registerRemote(ctx context.Context, in Input) (Reply, error) {
	if s.remotes == nil {
		return Reply{}, Unavailable("this dispatcher takes no registrations")
	}
	var body RegisterRequest
	if err := parseBody(in.Body, &body, `{"instance": "billing-1", "ttl_ms": 15000, "tools": [{"name": …}]}`); err != nil {
		return Reply{}, err
	}
	// A time that no Duration holds is as wrong as any that is too long.
	ttl := time.Duration(math.Min(body.TTLMS, math.MaxInt32)) * time.Millisecond
	r := remote.Registration{Instance: body.Instance, TTL: ttl, Tools: make([]json.RawMessage, len(body.Tools))}
	for i, def := range body.Tools {
		r.Tools[i] = json.RawMessage(def)
	}
	names, err := s.remotes.Register(ctx, in.Tenant, r)
	if err != nil {
		return Reply{}, err
	}
	return answer(Registered{(ttl / 3).Milliseconds(), body.Instance, names, ttl.Milliseconds()})
}

func (s *Service) unregisterRemote(ctx context.Context, in Input) (Reply, error) {
	if s.remotes == nil {
		return Reply{}, Unavailable("this dispatcher takes no registrations")
	}
	var body UnregisterRequest
	if err := parseBody(in.Body, &body, `{"instance": "billing-1"}`); err != nil {
		return Reply{}, err
	}
	was, err := s.remotes.Unregister(ctx, in.Tenant, body.Instance)
	if err != nil {
		return Reply{}, err
	}
	return answer(Unregistered{body.Instance, was})
}
