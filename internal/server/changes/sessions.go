package changes

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/internal/audit/trail"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/server/signin"
	"github.com/helve-dev/helve/protocol"
)

// Session puts the begin or the end of a session on the trail.
func Session(ctx context.Context, t trail.Writer, by identity.Principal, e signin.Event) error {
	r := &protocol.AuditRecord{
		Phase: protocol.AuditSessionChanged, Tenant: by.Tenant, User: by.User, Tool: "login", By: by.Called(),
		Decision: &protocol.AuditDecision{Outcome: protocol.OutcomeAllowed},
		Detail:   fmt.Sprintf("signed in with the credential %q, by %s", by.Name, e.Way),
	}
	if !e.Begins {
		r.Tool, r.Detail = "logout", fmt.Sprintf("signed out; the session began by %s", e.Way)
	}
	return t.Write(ctx, r)
}
