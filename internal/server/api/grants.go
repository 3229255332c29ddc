package api

import (
	"context"
	"slices"

	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/protocol"
)

func (s *Service) listGrants(ctx context.Context, in Input) (Reply, error) {
	if s.Gate.Grants == nil {
		return Reply{}, missing("grants")
	}
	user, err := whose(in, in.Params["user"], identity.Approver, identity.Admin)
	if err != nil {
		return Reply{}, err
	}
	grants, err := s.Gate.Grants.List(ctx, in.Tenant, user)
	if err != nil {
		return Reply{}, err
	}
	return answer(protocol.GrantList{Grants: array(grants)})
}

// revokeGrant lets a person revoke their own grants. Grants of others are reported as
// not found.
func (s *Service) revokeGrant(ctx context.Context, in Input) (Reply, error) {
	if s.Gate.Grants == nil {
		return Reply{}, missing("grants")
	}
	id := in.Params["grant_id"]
	if !validName(id, maxCallID) {
		return Reply{}, badName("grant_id", id, maxCallID)
	}
	by, err := personOf(protocol.Speaker{By: in.Params["by"]}, in)
	if err != nil {
		return Reply{}, err
	}
	if !by.Has(identity.Approver, identity.Admin) {
		own, err := s.Gate.Grants.List(ctx, in.Tenant, by.User)
		if err != nil {
			return Reply{}, err
		}
		if by.User == "" || !slices.ContainsFunc(own, func(g protocol.Grant) bool { return g.ID == id }) {
			return Reply{}, NotFound("there is no grant %q of yours; grants.list names those there are", id)
		}
	}
	if err := s.Gate.Grants.Revoke(ctx, in.Tenant, id, by); err != nil {
		return Reply{}, err
	}
	return answer(struct{}{})
}
