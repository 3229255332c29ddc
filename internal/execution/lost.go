package execution

import (
	"context"
	"fmt"
	"strings"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/x/gopool"
)

// findLost finds the worker that had the attempt before this one, and logs it, while the call
// runs. The returned channel gets one sentence for its record, empty if no worker is gone.
func (x *Executor) findLost(c *Call) <-chan string {
	found := make(chan string, 1)
	attempt, id, tool := c.Attempt-1, c.ID, c.Tool
	asked := *c // the run changes its own
	gopool.Go(func() {
		workers, certain := x.Owners.Lost(context.Background(), &asked)
		if len(workers) == 0 {
			found <- ""
			return
		}
		x.Log.Warn("call taken over from a lost worker", zap.String("call_id", id), zap.String("tool", tool), zap.Int("attempt", asked.Attempt),
			zap.Strings("lost_workers", workers), zap.Bool("certain", certain))
		if certain {
			found <- fmt.Sprintf("attempt %d was on worker %s, which is gone", max(attempt, 1), strings.Join(workers, ", "))
			return
		}
		found <- fmt.Sprintf("attempt %d left no result; workers of its pool that are gone: %s", max(attempt, 1), strings.Join(workers, ", "))
	}, func(p *gopool.Panic) {
		x.Log.Error("lost worker not found", zap.String("call_id", id), zap.Error(p))
		found <- ""
	})
	return found
}
