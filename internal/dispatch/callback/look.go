package callback

import (
	"context"
	"errors"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/callbacks"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/x/failpoint"
	"github.com/helve-dev/helve/protocol"
)

const (
	// lookTime bounds one look at a call.
	lookTime = 15 * time.Second
	// storeAgain is the pause before a write to NATS is tried again.
	storeAgain = time.Second
	// overdue is the time after its start-by after which a call is looked at that has no
	// result: a dispatcher may end it then.
	overdue = 2 * time.Second
	// lastLooks is the time before a callback expires in which it is ended, if its call has
	// no result: while it is stored, the record can name the call.
	lastLooks = time.Hour
)

// look looks whether a call has a result, and copies it. It returns when to look or go on.
func (r *run) look(e *entry) time.Time {
	ctx, cancel := context.WithTimeout(r.ctx, lookTime)
	defer cancel()
	c, revision, err := r.Store.Read(ctx, e.key)
	if err != nil {
		return r.later(e, "callback not read; trying again", err)
	}
	if c == nil || c.State == callbacks.Ended {
		return r.vanished(e, c)
	}
	if c.State == callbacks.Waits {
		element, err := r.Outcome(ctx, e.key.Tenant, e.key.CallID, c.Call)
		if err != nil {
			r.Log.Debug("result of a call with a callback not read; trying again", zap.String("call", e.key.Tenant+"/"+e.key.CallID), zap.Error(err))
		}
		switch {
		case element != nil:
		case err == nil && e.tries > 0: // it was there
			return r.without(e, c, revision, "there was no room to keep the result until its receiver takes it, and it is not stored any more")
		case err == nil && time.Since(c.Since()) > r.Store.Kept()/2 && r.Alive != nil && r.Alive(e.key.Tenant, e.key.CallID):
			return r.renew(ctx, e, c, revision)
		case err == nil && time.Since(c.Since()) > r.Store.Kept()-lastLooks:
			return r.without(e, c, revision, "the call has no result that is stored, and no call takes longer")
		default:
			return lookAgain(c, time.Now())
		}
		if !ofCall(element, c.Call) {
			return r.without(e, c, revision, "the stored result of its call_id is of another call")
		}
		err = r.due(ctx, e.key, c, revision, element)
		if errors.Is(err, natsio.ErrFull) {
			_ = r.later(e, "no room to copy the result of a callback; it is sent without a copy", err)
			r.mu.Lock()
			defer r.mu.Unlock()
			e.state = callbacks.Due
			return time.Now()
		}
		if err != nil {
			return r.later(e, "result of a callback not copied; trying again", err)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.advance(e, c)
	return time.Now()
}

// due stores that the result of a call is to be sent, and the result.
func (r *run) due(ctx context.Context, k callbacks.Key, c *callbacks.Callback, revision uint64, element []byte) error {
	if err := r.Store.StoreBody(ctx, k, c, element); err != nil {
		return err
	}
	if err := failpoint.Hit(failpoint.CallbackCopied); err != nil {
		return err
	}
	c.State, c.DueMS = callbacks.Due, time.Now().UnixMilli()
	return r.Store.Change(ctx, k, *c, revision)
}

// lookAgain returns when to look at a call again that has no result. Its result is noticed
// before, unless the connection was lost. A call that is overdue and that nobody has must be
// looked at to be ended.
func lookAgain(c *callbacks.Callback, now time.Time) time.Time {
	next := now.Add(pause(now.Sub(time.UnixMilli(c.Call.AcceptedMS)), lookMost, spread()))
	if at := time.UnixMilli(c.Call.StartByMS).Add(overdue); now.Before(at) && at.Before(next) {
		return at
	}
	return next
}

// renew stores the callback of a program that has not ended again, as the stream removes what is
// old. It returns when to look again.
func (r *run) renew(ctx context.Context, e *entry, c *callbacks.Callback, revision uint64) time.Time {
	c.RenewedMS = time.Now().UnixMilli()
	if err := r.Store.Change(ctx, e.key, *c, revision); err != nil {
		return r.later(e, "callback of a program not renewed; trying again", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	e.since = c.Since()
	return lookAgain(c, time.Now())
}

// vanished ends the entry of a callback that another process ended, that was removed with the
// data of a person, or that is older than any call can be.
func (r *run) vanished(e *entry, c *callbacks.Callback) time.Time {
	r.mu.Lock()
	old := time.Since(e.since) >= r.Store.Kept()
	r.mu.Unlock()
	if c == nil && old {
		return r.lose(e, nil, 0, loss{
			NoResult, "there is no result to send", "the callback to " + e.host + " expired without a result", "expired",
		})
	}
	return time.Time{}
}

// later logs the first failure of several, and returns when to try again.
func (r *run) later(e *entry, what string, err error) time.Time {
	level := zap.DebugLevel
	if !e.logged && !errors.Is(err, natsio.ErrExists) {
		e.logged, level = true, zap.WarnLevel
	}
	r.Log.Log(level, what, zap.String("call", e.key.Tenant+"/"+e.key.CallID), zap.Error(err))
	return time.Now().Add(storeAgain)
}

// ofCall reports whether an element is of the call that was accepted with the callback. An
// id that a dispatcher made may be that of another call: it has no acceptance until then.
func ofCall(element []byte, call queue.Acceptance) bool {
	var el struct {
		Tool     string          `json:"tool"`
		ArgsHash string          `json:"args_hash"`
		Owner    *protocol.Owner `json:"owner"`
	}
	if json.Unmarshal(element, &el, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
		return false
	}
	return el.Tool == call.Tool && (el.ArgsHash == "" || call.ArgsHash == "" || el.ArgsHash == call.ArgsHash) &&
		(el.Owner == nil || el.Owner.User == call.User)
}
