package api

import (
	"context"
	"slices"
	"strconv"

	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/toolbox/dynamic/store"
	"github.com/helve-dev/helve/protocol"
)

// getCustom returns a tool with its code: the owner's or, for a person without a tool
// of that name, the version shared with them.
func (s *Service) getCustom(ctx context.Context, in Input) (Reply, error) {
	found, shared, err := s.seenCustom(ctx, in)
	if err != nil {
		return Reply{}, err
	}
	if !found.Place.Shared && shared == nil { // what is shared is for everybody
		if err := s.looked(ctx, in.Tenant, found.Tool.Owner, "custom.get", "the code of the tool "+found.Tool.Name+" is shown"); err != nil {
			return Reply{}, err
		}
	}
	shown := shownCustom(found, shared)
	if version := in.Params["version"]; version != "" {
		versions, err := s.customVersions(ctx, found, shared)
		if err != nil {
			return Reply{}, err
		}
		at := slices.IndexFunc(versions, func(f store.Found) bool { return version == strconv.Itoa(f.Tool.Version) })
		if at < 0 {
			return Reply{}, NotFound("the tool has no version %.20q any more; custom.versions lists those that are kept", version)
		}
		found = &versions[at]
	}
	shown.Parameters, shown.Code = found.Tool.Parameters, found.Tool.Code
	return answer(shown)
}

// listVersions returns the kept versions of a tool without their code.
func (s *Service) listVersions(ctx context.Context, in Input) (Reply, error) {
	found, shared, err := s.seenCustom(ctx, in)
	if err != nil {
		return Reply{}, err
	}
	versions, err := s.customVersions(ctx, found, shared)
	if err != nil {
		return Reply{}, err
	}
	list := make([]protocol.CustomToolVersion, len(versions))
	for i, f := range versions {
		list[i] = protocol.CustomToolVersion{
			Version: f.Tool.Version, UpdatedAt: f.Tool.UpdatedAt, Enabled: f.Tool.Enabled, Description: f.Tool.Description,
			Permissions: array(f.Tool.Permissions), Hosts: array(f.Tool.Hosts), Shared: shared != nil && shared.Tool.Version == f.Tool.Version,
		}
	}
	return answer(protocol.CustomToolVersions{Versions: list})
}

// seenCustom returns the tool that a request to look at one names, and its shared version.
func (s *Service) seenCustom(ctx context.Context, in Input) (found, shared *store.Found, err error) {
	all, owner, err := s.customOf(ctx, in, in.Params["owner"], identity.Approver, identity.Admin, identity.Auditor)
	if err != nil {
		return nil, nil, err
	}
	name := in.Params["name"]
	found, err = s.ownedCustom(ctx, in.Tenant, all, owner, name)
	if failure, ok := AsRequestError(err); ok && failure.Type == "not_found" {
		if found, err = s.Custom.Get(ctx, store.Shared(in.Tenant, name)); found == nil && err == nil {
			err = failure
		}
	}
	if err != nil {
		return nil, nil, err
	}
	return found, sharedOf(all, found), nil
}

// customVersions returns the versions of a tool that the caller who sees it may see, the
// newest first: of a person's own tool those that are kept, and the shared one; of another
// person's, that is shared, only this one.
func (s *Service) customVersions(ctx context.Context, found, shared *store.Found) ([]store.Found, error) {
	if found.Place.Shared {
		return []store.Found{*found}, nil
	}
	versions, err := s.Custom.Versions(ctx, found)
	if err != nil || shared == nil ||
		slices.ContainsFunc(versions, func(f store.Found) bool { return f.Tool.Version == shared.Tool.Version }) {
		return versions, err
	}
	whole, err := s.Custom.Get(ctx, shared.Place) // older than those that are kept
	if whole == nil || err != nil || whole.Tool.ID != found.Tool.ID {
		return versions, err
	}
	return append(versions, *whole), nil
}
