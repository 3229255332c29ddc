package api

import (
	"context"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/toolbox/dynamic/store"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// CustomTools stores the tools that models wrote. Its errors that a caller may see are
// of type [*store.Error].
type CustomTools interface {
	// All returns every tool of a tenant and every shared version, without code.
	All(ctx context.Context, tenant string) ([]store.Found, error)
	// OfOwner returns a person's own tool, Get the tool at a place; nil if there is
	// none.
	OfOwner(ctx context.Context, tenant, owner, name string) (*store.Found, error)
	Get(ctx context.Context, p store.Place) (*store.Found, error)
	// Versions returns the kept versions of a tool, the newest first.
	Versions(ctx context.Context, of *store.Found) ([]store.Found, error)
	Share(ctx context.Context, tenant, owner, name string, v store.Version, by string) (*store.Entry, error)
	Unshare(ctx context.Context, tenant, name string) error
	Toggle(ctx context.Context, tenant, owner, name string, enabled bool) (tool.CustomTool, error)
	Delete(ctx context.Context, tenant, owner, name string) error
}

func (s *Service) listCustom(ctx context.Context, in Input) (Reply, error) {
	all, owner, err := s.customOf(ctx, in, in.Params["owner"], identity.Approver, identity.Admin, identity.Auditor)
	if err != nil {
		return Reply{}, err
	}
	list := []protocol.CustomTool{}
	for _, f := range all {
		// A shared version whose tool was deleted is listed, so that it can be
		// withdrawn.
		orphan := f.Place.Shared && !slices.ContainsFunc(all, func(g store.Found) bool { return !g.Place.Shared && g.Tool.ID == f.Tool.ID })
		if (!f.Place.Shared || orphan) && (owner == "" || f.Tool.Owner == owner) {
			list = append(list, shownCustom(&f, sharedOf(all, &f)))
		}
	}
	return answer(protocol.CustomToolList{Tools: list})
}

func (s *Service) shareCustom(ctx context.Context, in Input) (Reply, error) {
	var body protocol.ShareRequest
	if err := parseBody(in.Body, &body, `{"owner": "ann", "version": 3}`); err != nil {
		return Reply{}, err
	}
	if body.Version < 1 {
		return Reply{}, BadRequest("version is missing: the version whose code you looked at; custom.get shows both")
	}
	if in.By.Agent != "" {
		return Reply{}, Forbidden("the agent %q cannot share a tool: a person must", in.By.Agent)
	}
	return s.changeCustom(ctx, in, body.Owner, []identity.Role{identity.Approver, identity.Admin}, func(owner, name string) error {
		_, err := s.Custom.Share(ctx, in.Tenant, owner, name, store.Version{Number: body.Version}, in.By.Called())
		return err
	})
}

func (s *Service) toggleCustom(ctx context.Context, in Input) (Reply, error) {
	var body protocol.ToggleRequest
	if err := parseBody(in.Body, &body, `{"enabled": false}`); err != nil {
		return Reply{}, err
	}
	if body.Enabled == nil {
		return Reply{}, BadRequest("enabled is missing; true switches the tool on, false off")
	}
	return s.changeCustom(ctx, in, body.Owner, []identity.Role{identity.Admin}, func(owner, name string) error {
		_, err := s.Custom.Toggle(ctx, in.Tenant, owner, name, *body.Enabled)
		return err
	})
}

func (s *Service) deleteCustom(ctx context.Context, in Input) (Reply, error) {
	all, owner, err := s.customOf(ctx, in, in.Params["owner"], identity.Admin)
	if err != nil {
		return Reply{}, err
	}
	f, err := s.ownedCustom(ctx, in.Tenant, all, owner, in.Params["name"])
	if err != nil {
		return Reply{}, err
	}
	if err := s.Custom.Delete(ctx, in.Tenant, f.Tool.Owner, f.Tool.Name); err != nil {
		return Reply{}, err
	}
	return answer(struct{}{})
}

// unshareCustom withdraws a shared version: its owner, an approver or an admin may.
func (s *Service) unshareCustom(ctx context.Context, in Input) (Reply, error) {
	_, user, err := s.customOf(ctx, in, in.Params["user"], identity.Approver, identity.Admin)
	if err != nil {
		return Reply{}, err
	}
	name := in.Params["name"]
	f, err := s.Custom.Get(ctx, store.Shared(in.Tenant, name))
	if err != nil {
		return Reply{}, err
	}
	if f == nil || !in.By.Has(identity.Approver, identity.Admin) && f.Tool.Owner != user {
		return Reply{}, NotFound("no tool of yours is shared under the name %.80q", name)
	}
	if err := s.Custom.Unshare(ctx, in.Tenant, name); err != nil {
		return Reply{}, err
	}
	return answer(struct{}{})
}

// changeCustom changes a tool and returns the changed tool. Callers with one of the
// wide roles may change anybody's tools, others their own.
func (s *Service) changeCustom(
	ctx context.Context, in Input, named string, wide []identity.Role, change func(owner, name string) error,
) (Reply, error) {
	all, owner, err := s.customOf(ctx, in, named, wide...)
	if err != nil {
		return Reply{}, err
	}
	name := in.Params["name"]
	f, err := s.ownedCustom(ctx, in.Tenant, all, owner, name)
	if err != nil {
		return Reply{}, err
	}
	if err := change(f.Tool.Owner, name); err != nil {
		return Reply{}, err
	}
	if all, err = s.Custom.All(ctx, in.Tenant); err != nil {
		return Reply{}, err
	}
	f, err = s.ownedCustom(ctx, in.Tenant, all, f.Tool.Owner, name)
	if err != nil {
		return Reply{}, err
	}
	return answer(shownCustom(f, sharedOf(all, f)))
}

// customOf returns the tenant's stored tools, and the person whose tools the caller may
// see or change; an empty name means everybody's.
func (s *Service) customOf(ctx context.Context, in Input, named string, wide ...identity.Role) ([]store.Found, string, error) {
	if s.Custom == nil {
		return nil, "", missing("custom tools")
	}
	owner, err := whose(in, named, wide...)
	if err != nil {
		return nil, "", err
	}
	all, err := s.Custom.All(ctx, in.Tenant)
	return all, owner, err
}

// ownedCustom returns the tool of that name with its code; without an owner, the only
// tool of that name.
func (s *Service) ownedCustom(ctx context.Context, tenant string, all []store.Found, owner, name string) (*store.Found, error) {
	var owners []string
	for _, f := range all {
		if !f.Place.Shared && f.Tool.Name == name && (owner == "" || f.Tool.Owner == owner) {
			owners = append(owners, f.Tool.Owner)
		}
	}
	switch len(owners) {
	case 0:
		return nil, NotFound("there is no custom tool %.80q; custom.list names those there are", name)
	case 1:
	default:
		return nil, BadRequest("several persons have a tool %q: %s; name the owner", name, strings.Join(owners, ", "))
	}
	f, err := s.Custom.OfOwner(ctx, tenant, owners[0], name)
	if f == nil && err == nil {
		err = NotFound("the custom tool %.80q was deleted this moment", name)
	}
	return f, err
}

// sharedOf returns the shared version of a tool, or nil.
func sharedOf(all []store.Found, f *store.Found) *store.Found {
	for i, g := range all {
		if g.Place.Shared && g.Tool.ID == f.Tool.ID {
			return &all[i]
		}
	}
	return nil
}

func shownCustom(f, shared *store.Found) protocol.CustomTool {
	t := protocol.CustomTool{
		Name: f.Tool.Name, Owner: f.Tool.Owner, Description: f.Tool.Description, Enabled: f.Tool.Enabled, Version: f.Tool.Version,
		Permissions: array(f.Tool.Permissions), Hosts: array(f.Tool.Hosts), Risk: f.Definition.Risk, UpdatedAt: f.Tool.UpdatedAt,
	}
	if shared != nil {
		t.SharedVersion, t.SharedBy, t.SharedAt = shared.Tool.Version, shared.SharedBy, shared.SharedAt
	}
	return t
}
