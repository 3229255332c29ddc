package accounts

import (
	"context"
	"encoding/json"
	"io"
	"strings"

	center "github.com/helve-dev/helve/internal/accounts/services"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/protocol"
)

// Export implements [data.Accounts]. It writes the entries of a person, without secrets, as lines of an export.
func (s *Services) Export(ctx context.Context, tenant, user string, w io.Writer) error {
	entries, err := s.Store.List(ctx, tenant, center.Filter{User: user})
	if err != nil {
		return err
	}
	enc := json.NewEncoder(w)
	for _, e := range entries {
		if err := enc.Encode(map[string]any{"collection": protocol.ServicesCollection, "id": e.Service + "." + e.Label, "doc": e}); err != nil {
			return err
		}
	}
	return nil
}

// DeleteAll implements [data.Accounts]. It removes the entries of a person, after the tokens of accounts were revoked.
func (s *Services) DeleteAll(ctx context.Context, tenant, user string) (int, error) {
	left, accounts, err := s.Accounts.DisconnectAll(ctx, tenant, user)
	if err != nil {
		return accounts, err
	}
	if len(left) > 0 {
		what := "the tokens of accounts were removed and not revoked: " + strings.Join(left, ", ")
		if err := s.record(ctx, tenant, user, "services.delete", what); err != nil {
			return accounts, err
		}
	}
	n, err := s.Store.DeleteAll(ctx, tenant, user)
	return accounts + n, err
}

// record puts a change on the trail, before it takes effect. It has no values.
func (s *Services) record(ctx context.Context, tenant, user, operation, what string) error {
	return s.Trail.Write(ctx, &protocol.AuditRecord{
		Phase: protocol.AuditServiceChanged, Tenant: tenant, User: user, Tool: operation, By: identity.Of(ctx).Called(),
		Decision: &protocol.AuditDecision{Outcome: protocol.OutcomeAllowed}, Detail: what,
	})
}
