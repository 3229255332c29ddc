package callback

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/callbacks"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/protocol"
)

// end stores that a callback has ended, and removes what it was sent with. It tries until
// that is stored or this run ends, so that nothing is sent again.
func (r *run) end(e *entry, c *callbacks.Callback, revision uint64, outcome string) time.Time {
	ended := callbacks.Callback{State: callbacks.Ended, CallID: c.CallID, Outcome: outcome}
	ended.Call.User = c.Call.User // for the deletion of the person's data
	for {
		err := r.Store.Change(r.ctx, e.key, ended, revision)
		if errors.Is(err, natsio.ErrExists) { // its own write, whose acknowledgement was lost, or another
			var now *callbacks.Callback
			if now, revision, err = r.Store.Read(r.ctx, e.key); err == nil && now != nil && now.State != callbacks.Ended {
				continue
			}
		}
		if err == nil {
			break
		}
		r.Log.Warn("end of a callback not stored; trying again", zap.String("call", e.key.Tenant+"/"+c.CallID), zap.Error(err))
		natsio.Pause(r.ctx, storeAgain)
		if r.ctx.Err() != nil {
			return time.Now()
		}
	}
	if err := r.Store.RemoveBody(r.ctx, e.key); err != nil {
		r.Log.Warn("result that was sent not removed; it expires", zap.String("call", e.key.Tenant+"/"+c.CallID), zap.Error(err))
	}
	r.count(e, outcome)
	return time.Time{}
}

func (r *run) count(e *entry, outcome string) {
	r.Metrics.Count(telemetry.Callbacks, outcome)
	r.Log.Debug("callback ended",
		zap.String("call", e.key.Tenant+"/"+e.key.CallID), zap.String("host", e.host), zap.String("outcome", outcome), zap.Int("tries", e.tries))
}

const (
	// recordTime bounds the writing of a record.
	recordTime = 10 * time.Second
	// recordAgain is the pause before a callback is given up again whose record could not be
	// stored; it is sent once more then.
	recordAgain = time.Minute
)

// giveUp puts on record that a receiver did not take a result, and ends its callback.
func (r *run) giveUp(e *entry, c *callbacks.Callback, revision uint64, failure string) time.Time {
	return r.lose(e, c, revision, loss{GivenUp, "the receiver did not take the result",
		fmt.Sprintf("the result was sent to %s for %v without success and is not sent any more; last: %s", e.host, r.RetryFor, failure), failure})
}

// without puts on record that there is nothing to be sent, and ends the callback.
func (r *run) without(e *entry, c *callbacks.Callback, revision uint64, why string) time.Time {
	return r.lose(e, c, revision, loss{NoResult, "there is no result to send", fmt.Sprintf("nothing is sent to %s: %s", e.host, why), why})
}

// loss is why a callback ends whose result was not delivered. Cause is for the log.
type loss struct{ outcome, reason, detail, cause string }

// lose puts a loss on record, and ends the callback if it is still stored.
func (r *run) lose(e *entry, c *callbacks.Callback, revision uint64, l loss) time.Time {
	now := time.Now()
	record := &protocol.AuditRecord{
		ID: "cb-" + e.key.CallID + "-" + e.key.Receiver, Phase: protocol.AuditCallbackFailed, CallID: e.key.CallID, Tenant: e.key.Tenant,
		EndedAt:  &now,
		Decision: &protocol.AuditDecision{Outcome: protocol.OutcomeBlocked, Reason: l.reason}, Detail: l.detail,
	}
	if c != nil {
		record.CallID, record.TraceID, record.User, record.Agent, record.Conversation, record.Tool = c.CallID, c.Call.TraceID, c.Call.User,
			c.Call.Agent, c.Call.Conversation, c.Call.Tool
	}
	ctx, cancel := context.WithTimeout(r.ctx, recordTime)
	defer cancel()
	if err := r.Trail.Write(ctx, record); err != nil {
		r.Log.Error("callback given up, and the record is not stored; trying again",
			zap.String("call", e.key.Tenant+"/"+record.CallID), zap.String("host", e.host), zap.Error(err))
		return now.Add(recordAgain)
	}
	r.Log.Error("callback given up",
		zap.String("call", e.key.Tenant+"/"+record.CallID), zap.String("host", e.host), zap.String("cause", l.cause))
	if c == nil {
		r.count(e, l.outcome)
		return time.Time{}
	}
	return r.end(e, c, revision, l.outcome)
}
