package program

import (
	"context"
	"errors"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/programs"
	"github.com/helve-dev/helve/internal/durable"
)

// find looks for a program that has been queued for long: it may have ended without a turn, or
// its message may be lost.
func (w *waker) find(ctx context.Context, key programs.Key, p *durable.Program, revision uint64) (time.Time, error) {
	later := time.Now().Add(queuedLong)
	if time.Since(time.UnixMilli(p.ChangedMS)) < queuedLong {
		return time.UnixMilli(p.ChangedMS).Add(queuedLong), nil
	}
	stored, err := w.Queue.Results.ResultOf(ctx, key.Tenant, p.Pool, key.CallID)
	if err != nil {
		return time.Time{}, err
	}
	if stored != nil {
		el := new(element)
		if err := json.Unmarshal(stored.Element, el, lenient, jsontext.AllowDuplicateNames(true)); err != nil {
			return time.Time{}, err
		}
		finish(p, el.ErrorType, el.Message, nil, nil)
		err := w.Store.End(ctx, key, p, revision)
		if errors.Is(err, natsio.ErrExists) {
			err = nil
		}
		return later, err
	}
	if w.Queue.Owners.Find(ctx, key.Tenant, key.CallID) != nil {
		return later, nil
	}
	queued, err := w.Queue.Inspector.InLane(ctx, key.Tenant, p.Pool, p.Call.Tool, key.CallID)
	if queued || err != nil {
		return later, err
	}
	w.Log.Warn("program queued again: it was neither in the queue nor with a worker", zap.String("call", key.Tenant+"/"+key.CallID))
	return later, w.requeue(ctx, key, p, revision, nil)
}
