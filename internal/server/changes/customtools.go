package changes

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/internal/audit/trail"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/toolbox/dynamic/store"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// CustomTools records changes of custom tools before they take effect.
type CustomTools struct {
	*store.Store

	Trail trail.Writer
}

// Share implements [api.CustomTools].
func (c CustomTools) Share(ctx context.Context, tenant, owner, name string, v store.Version, by string) (*store.Entry, error) {
	version := "its current version"
	if v.Number != 0 {
		version = fmt.Sprintf("version %d", v.Number)
	}
	if err := c.write(ctx, tenant, owner, name, version+" is shared with the tenant"); err != nil {
		return nil, err
	}
	return c.Store.Share(ctx, tenant, owner, name, v, by)
}

// Unshare implements [api.CustomTools].
func (c CustomTools) Unshare(ctx context.Context, tenant, name string) error {
	if err := c.write(ctx, tenant, "", name, "the shared version is taken back"); err != nil {
		return err
	}
	return c.Store.Unshare(ctx, tenant, name)
}

// Toggle implements [api.CustomTools].
func (c CustomTools) Toggle(ctx context.Context, tenant, owner, name string, enabled bool) (tool.CustomTool, error) {
	if err := c.write(ctx, tenant, owner, name, fmt.Sprintf("enabled is set to %v", enabled)); err != nil {
		return tool.CustomTool{}, err
	}
	return c.Store.Toggle(ctx, tenant, owner, name, enabled)
}

// Delete implements [api.CustomTools].
func (c CustomTools) Delete(ctx context.Context, tenant, owner, name string) error {
	if err := c.write(ctx, tenant, owner, name, "the tool is deleted"); err != nil {
		return err
	}
	return c.Store.Delete(ctx, tenant, owner, name)
}

func (c CustomTools) write(ctx context.Context, tenant, owner, name, what string) error {
	return c.Trail.Write(ctx, &protocol.AuditRecord{
		Phase: protocol.AuditCustomToolChanged, Tenant: tenant, User: owner, Tool: name, By: identity.Of(ctx).Called(),
		Decision: &protocol.AuditDecision{Outcome: protocol.OutcomeAllowed}, Detail: what,
	})
}
