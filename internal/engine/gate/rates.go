package gate

import (
	"context"
	"time"

	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/policy/ratelimit"
)

// Rates counts the calls that the operator bounds. It implements [engine.Rates].
type Rates struct{ Limiter *ratelimit.Limiter }

// Take implements [engine.Rates]. A rule may name a tool by an alias, and the tool
// that delegated the call.
func (r Rates) Take(ctx context.Context, j *engine.Job) (time.Duration, error) {
	called := append([]string{j.Entry().Tool.Name}, j.Entry().Tool.Aliases...)
	if way := j.Delegator(); way != nil {
		called = append(called, way.Name)
	}
	return r.Limiter.Take(ctx, j.Tenant, j.User, called...)
}
