package connect

import (
	"cmp"
	"context"
	"strings"

	"github.com/helve-dev/helve/protocol"
)

// Names of operations on the trail.
const (
	connectedRecord = "services.connect"
	renewedRecord   = "services.renew"
)

// record puts a change of an account on the trail, without values.
func (s *Service) record(ctx context.Context, w who, operation, by, what string) error {
	return s.write(ctx, w, operation, by, what, protocol.OutcomeAllowed)
}

// recordFailure puts a failure to replace the tokens of an account on the trail.
func (s *Service) recordFailure(ctx context.Context, w who, what string) error {
	return s.write(ctx, w, renewedRecord, "helve", what, protocol.OutcomeBlocked)
}

func (s *Service) write(ctx context.Context, w who, operation, by, what, outcome string) error {
	return s.Trail.Write(ctx, &protocol.AuditRecord{
		Phase: protocol.AuditServiceChanged, Tenant: w.tenant, User: w.user, Tool: operation, By: by,
		Decision: &protocol.AuditDecision{Outcome: outcome}, Detail: what,
	})
}

// maxShownScopes bounds the scopes in a record, in bytes.
const maxShownScopes = 500

func shownScopes(scopes string) string {
	if len(scopes) > maxShownScopes {
		scopes = strings.ToValidUTF8(scopes[:maxShownScopes], "") + "…"
	}
	return cmp.Or(scopes, "what the provider allows by default")
}
