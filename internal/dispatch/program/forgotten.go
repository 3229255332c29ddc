package program

import (
	"context"
	"fmt"
	"time"

	"github.com/helve-dev/helve/internal/bus/programs"
	"github.com/helve-dev/helve/internal/durable"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// old reports whether a step was made so long ago that its acceptance, its fence and its result may
// have expired. The caller holds mu.
func (t *session) old(n int) bool {
	return n <= t.journaled && time.Since(time.UnixMilli(t.made[n-1].AtMS)) > t.svc.Queue.Options().CallKnown()
}

// forgotten returns the end of an old step of which nothing is known any more: every dispatcher
// was away when it ended, and for longer than results are stored. It may have acted, so it is not
// made again.
func (t *session) forgotten(ctx context.Context, f *flight) (*element, error) {
	id := durable.StepID(t.key.CallID, f.step.N)
	if t.svc.index.get(programs.Key{Tenant: t.key.Tenant, CallID: id}) != nil {
		return nil, nil // a program is known for as long as it lives
	}
	rec, err := t.svc.Queue.Calls.Accepted(ctx, t.key.Tenant, id)
	if rec != nil || err != nil {
		return nil, err
	}
	return &element{Status: protocol.StatusError, ErrorType: tool.OutcomeUnknown, Message: fmt.Sprintf(
		"'%s' was called more than %v ago, and its outcome is not stored any more; it may or may not have happened and was not called again",
		f.step.Tool, t.svc.Queue.Options().CallKnown().Round(time.Hour))}, nil
}
