package api

import (
	"context"

	"github.com/helve-dev/helve/protocol"
)

// Upstreams stores which definitions of MCP servers' tools are accepted.
type Upstreams interface {
	// List returns all definitions, or with a name one tool's, including its pending
	// definition.
	List(ctx context.Context, name string) ([]protocol.UpstreamTool, error)
	// Accept accepts the definition with that hash.
	Accept(ctx context.Context, name, hash, by string) (protocol.UpstreamTool, error)
}

func (s *Service) listUpstream(ctx context.Context, in Input) (Reply, error) {
	if err := s.mayUpstream(in); err != nil {
		return Reply{}, err
	}
	entries, err := s.Upstreams.List(ctx, in.Params["name"])
	if err != nil {
		return Reply{}, err
	}
	return answer(protocol.UpstreamList{Tools: array(entries)})
}

// acceptUpstream takes the hash from the body: the caller names the definition they
// reviewed.
func (s *Service) acceptUpstream(ctx context.Context, in Input) (Reply, error) {
	if err := s.mayUpstream(in); err != nil {
		return Reply{}, err
	}
	var body protocol.AcceptRequest
	if err := parseBody(in.Body, &body, `{"hash": "sha256:…"}`); err != nil {
		return Reply{}, err
	}
	if body.Hash == "" {
		return Reply{}, BadRequest("hash is missing; upstream.list with the tool's name has it as seen")
	}
	entry, err := s.Upstreams.Accept(ctx, in.Params["name"], body.Hash, in.By.Called())
	if err != nil {
		return Reply{}, err
	}
	return answer(entry)
}

// mayUpstream refuses admins of other tenants than the default: MCP servers belong to
// all tenants.
func (s *Service) mayUpstream(in Input) error {
	switch {
	case s.Upstreams == nil:
		return Unavailable("this dispatcher knows no MCP servers")
	case in.Tenant != DefaultTenant:
		return Forbidden("MCP servers are those of every tenant; ask as an admin of the tenant %s", DefaultTenant)
	}
	return nil
}
