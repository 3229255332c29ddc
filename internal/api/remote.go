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

// WithRemotes lets the service take registrations, which it otherwise does not.
func (s *Service) WithRemotes(r Remotes) *Service {
	s.remotes = r
	return s
}

func (s *Service) registerRemote(ctx context.Context, in Input) (Reply, error) {
	if s.remotes == nil {
		return Reply{}, Unavailable("this dispatcher takes no registrations")
	}
	var body struct {
		Instance string           `json:"instance"`
		TTLMS    float64          `json:"ttl_ms"`
		Tools    []jsontext.Value `json:"tools"`
	}
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
	return answer(map[string]any{
		"instance": body.Instance, "ttl_ms": ttl.Milliseconds(), "heartbeat_ms": (ttl / 3).Milliseconds(), "tools": names,
	})
}

func (s *Service) unregisterRemote(ctx context.Context, in Input) (Reply, error) {
	if s.remotes == nil {
		return Reply{}, Unavailable("this dispatcher takes no registrations")
	}
	var body struct {
		Instance string `json:"instance"`
	}
	if err := parseBody(in.Body, &body, `{"instance": "billing-1"}`); err != nil {
		return Reply{}, err
	}
	was, err := s.remotes.Unregister(ctx, in.Tenant, body.Instance)
	if err != nil {
		return Reply{}, err
	}
	return answer(map[string]any{"instance": body.Instance, "unregistered": was})
}
