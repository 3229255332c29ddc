package adapters

import (
	"context"
	"fmt"

	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/execution"
)

// Parker parks calls of an executor.
type Parker struct {
	Consents *consent.Parker
	// Calls returns the executor, which is made after the gate that parks.
	Calls func() *execution.Executor
}

// Park stores a job that waits for a person, with its call.
func (p Parker) Park(ctx context.Context, j *engine.Job, a consent.Ask) error {
	c := p.Calls().Call(j.Tenant, j.ID)
	if c == nil {
		return fmt.Errorf("call %s is no longer here", j.ID)
	}
	if c.Direct {
		return fmt.Errorf("%w: a call that a person decides about is queued first", engine.ErrRetry)
	}
	a.Request.Call.ToolCallID = c.ToolCallID
	return p.Consents.Park(context.WithoutCancel(ctx), c.Call, a)
}
