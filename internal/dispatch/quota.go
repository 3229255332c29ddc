package dispatch

import (
	"time"

	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/tool"
)

// Quota bounds the calls that are queued or run at a time. Each dispatcher counts the
// calls that it accepted.
type Quota struct {
	// User bounds those of one user, Tenant those of a tenant that Tenants does not name.
	User, Tenant int
	Tenants      map[string]int
}

func (q Quota) of(tenant string) int {
	if n, ok := q.Tenants[tenant]; ok {
		return n
	}
	return q.Tenant
}

// exceeded returns an error if one more call of a person is over a quota. The caller
// holds the lock of s.
func (s *shares) exceeded(who person) *tool.Error {
	var whose string
	var n int
	switch {
	case s.users[who] >= s.quota.User:
		whose, n = "this user", s.quota.User
	case s.tenants[who.tenant] >= s.quota.of(who.tenant):
		whose, n = "this tenant", s.quota.of(who.tenant)
	default:
		return nil
	}
	return tool.Fail(tool.RateLimited,
		"%d calls of %s are queued or run, and more are not accepted; send the call again when some of them have ended", n, whose)
}

// quotaRetry is when a caller that was refused should try again.
const quotaRetry = time.Second

// limited refuses a call over a quota. Nothing is stored for it: the same call_id can be
// sent again.
func (d *Dispatcher) limited(req *Request, c *Call, def *tool.Definition, over *tool.Error) callOutcome {
	d.countRefused(req.Tenant, def, tool.RateLimited)
	d.Metrics.Count(telemetry.QuotaRefused)
	el := refusalOf(req, c, over)
	el.Metadata = map[string]any{"retry_after_ms": quotaRetry.Milliseconds()}
	return callOutcome{element: encode(&el), overloaded: quotaRetry, reason: over.Msg, limited: true}
}
