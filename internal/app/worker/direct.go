package worker

import (
	"fmt"

	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/tool"
)

// mayRun returns an error for a call that this worker does not run. A direct call that
// changes something here, or makes other calls, is declined and queued: the dispatcher knew
// another version of its tool.
func (w *Worker) mayRun(j *engine.Job) error {
	if j.Direct && (j.Invocation().Mutates || j.Entry().Tool.Needs.Has(tool.NeedTools)) {
		return fmt.Errorf("%w: the call is to be queued", engine.ErrRetry)
	}
	return w.placement.check(j)
}
