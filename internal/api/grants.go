package api

import (
	"context"
	"slices"

	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/identity"
)

// GrantList answers grants.list.
type GrantList struct {
	Grants []consent.Grant `json:"grants"`
}

func (s *Service) listGrants(ctx context.Context, in Input) (Reply, error) {
	if s.gate.Grants == nil {
		return Reply{}, missing("grants")
	}
	user, err := whose(in, in.Params["user"], identity.Approver, identity.Admin)
	if err != nil {
		return Reply{}, err
	}
	grants, err := s.gate.Grants.List(ctx, in.Tenant, user)
	if err != nil {
		return Reply{}, err
	}
	return answer(GrantList{array(grants)})
}

// revokeGrant lets a person revoke their own grants. Those of others are to
// them as if they were not there.
func (s *Service) revokeGrant(ctx context.Context, in Input) (Reply, error) {
	if s.gate.Grants == nil {
		return Reply{}, missing("grants")
	}
	id := in.Params["grant_id"]
	if !validName(id, maxCallID) {
		return Reply{}, badName("grant_id", id, maxCallID)
	}
	by, err := Speaker{By: in.Params["by"]}.person(in)
	if err != nil {
		return Reply{}, err
	}
	if !by.Has(identity.Approver, identity.Admin) {
		own, err := s.gate.Grants.List(ctx, in.Tenant, by.User)
		if err != nil {
			return Reply{}, err
		}
		if by.User == "" || !slices.ContainsFunc(own, func(g consent.Grant) bool { return g.GrantID == id }) {
			return Reply{}, NotFound("there is no grant %q of yours; grants.list names those there are", id)
		}
	}
	if err := s.gate.Grants.Revoke(ctx, in.Tenant, id, by); err != nil {
		return Reply{}, err
	}
	return answer(struct{}{})
}
