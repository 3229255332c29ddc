package execution

import (
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/x/failpoint"
	"github.com/helve-dev/helve/protocol"
)

// retryPause is the pause of a call that could not be decided.
const retryPause = time.Second

// end ends a delivery: this worker no longer owns the call, the queue is told the end, and
// the slot is free.
func (x *Executor) end(r *run) {
	x.calls.remove(r)
	d := r.delivery
	switch r.state {
	case stored:
		x.Metrics.AuditStored()
		d.Ack()
	case settled:
		d.Ack()
	case left:
		d.Leave()
	case returned:
		d.Retry(retryPause)
	default: // moved
		x.Metrics.CallMoved()
		d.Move(r.lane, func(err error) {
			if err != nil {
				x.Log.Warn("call not moved to another lane; trying again", zap.String("call_id", r.call.ID), zap.Error(err))
				d.Retry(retryPause)
			}
		})
	}
	if r.ended {
		x.ended.Add(-1)
	}
	r.free()
	if r.state == stored {
		x.publishDone(r)
	}
}

// publishDone publishes the end of a call whose result is that of this delivery.
func (x *Executor) publishDone(r *run) {
	if x.Tracing.Enabled() {
		telemetry.PastOf(r.span, "store result", r.finished, time.Now())
	}
	if failpoint.Hit(failpoint.WorkerAfterAck) == nil {
		x.Events.Publish(time.Now(), r.call, protocol.EventDone, doneData(r.result))
	}
}
