package api

import (
	"context"

	"github.com/helve-dev/helve/internal/upstream/pins"
)

// Upstreams knows which definitions of MCP servers' tools may be offered.
type Upstreams interface {
	// List returns all of them, or the one of a name with what was seen of it.
	List(ctx context.Context, name string) ([]pins.Entry, error)
	// Accept lets the definition with that hash be offered.
	Accept(ctx context.Context, name, hash, by string) (pins.Entry, error)
}

// UpstreamList answers upstream.list.
type UpstreamList struct {
	Tools []pins.Entry `json:"tools"`
}

// AcceptRequest is the body of upstream.accept.
type AcceptRequest struct {
	Hash string `json:"hash"`
}

// WithUpstreams lets the service accept definitions, which it otherwise does not.
func (s *Service) WithUpstreams(u Upstreams) *Service {
	s.upstreams = u
	return s
}

func (s *Service) listUpstream(ctx context.Context, in Input) (Reply, error) {
	if err := s.mayUpstream(in); err != nil {
		return Reply{}, err
	}
	entries, err := s.upstreams.List(ctx, in.Params["name"])
	if err != nil {
		return Reply{}, err
	}
	return answer(UpstreamList{array(entries)})
}

// acceptUpstream takes the hash from the body: whoever accepts says what they saw.
func (s *Service) acceptUpstream(ctx context.Context, in Input) (Reply, error) {
	if err := s.mayUpstream(in); err != nil {
		return Reply{}, err
	}
	var body AcceptRequest
	if err := parseBody(in.Body, &body, `{"hash": "sha256:…"}`); err != nil {
		return Reply{}, err
	}
	if body.Hash == "" {
		return Reply{}, BadRequest("hash is missing; upstream.list with the tool's name has it as seen")
	}
	entry, err := s.upstreams.Accept(ctx, in.Params["name"], body.Hash, in.By.Called())
	if err != nil {
		return Reply{}, err
	}
	return answer(entry)
}

// mayUpstream keeps the admins of other tenants away: MCP servers are every tenant's.
func (s *Service) mayUpstream(in Input) error {
	switch {
	case s.upstreams == nil:
		return Unavailable("this dispatcher knows no MCP servers")
	case in.Tenant != DefaultTenant:
		return Forbidden("MCP servers are those of every tenant; ask as an admin of the tenant %s", DefaultTenant)
	}
	return nil
}
