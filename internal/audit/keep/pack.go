package keep

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/kept"
	"github.com/helve-dev/helve/internal/telemetry"
)

// packing is a block that is not packed yet.
type packing struct {
	to
	calls []Call
	since time.Time
	bytes int
	// stored are the bytes that it has when it is packed.
	stored int
}

// to identifies the blocks that a call may be in: its calls share these fields.
type to struct {
	tenant, user string
	ttl          time.Duration
}

const (
	// blockBytes and blockCalls bound a block before it is packed. The server bounds a message
	// to 1 MiB.
	blockBytes = 256 << 10
	blockCalls = 500
)

// blocks returns the calls that are kept, those of a person and of one time together.
func (k *Keeper) blocks(calls []ended) []packing {
	var all []packing
	open := map[to]int{} // the last block of each
	for i := range calls {
		c, ok := k.call(&calls[i])
		if !ok {
			continue
		}
		key := calls[i].to
		size := len(c.Element) + len(c.Arguments)
		at, there := open[key]
		if !there || all[at].bytes+size > blockBytes || len(all[at].calls) == blockCalls {
			all = append(all, packing{to: key, since: calls[i].at})
			at = len(all) - 1
			open[key] = at
		}
		b := &all[at]
		b.calls, b.bytes = append(b.calls, c), b.bytes+size
	}
	return all
}

// call returns a call as it is kept; ok is false if it is not. A call that makes it panic is left
// out: the next dispatcher would read the same call.
func (k *Keeper) call(e *ended) (c Call, ok bool) {
	defer func() {
		if problem := recover(); problem != nil {
			k.Log.Error("call not kept: panic", zap.String("call_id", e.callID), zap.Any("panic", problem), zap.Stack("stack"))
			ok = false
		}
	}()
	element, left, err := bounded(e.element)
	if err != nil {
		return c, false
	}
	c = Call{CallID: e.callID, Element: element, LeftOut: left}
	if e.arguments != "" {
		c.Arguments = k.Hide(e.tenant, e.user, e.tool, e.arguments)
	}
	return c, true
}

// trim drops the oldest calls of those that have more bytes than they may.
func (k *Keeper) trim(ctx context.Context, blocks []packing) {
	for i := range blocks {
		b := &blocks[i]
		most := k.Rules.MaxBytes(b.tenant)
		if most == 0 {
			continue
		}
		used, known := k.used[b.tenant]
		k.used[b.tenant] = used + int64(b.stored)
		if !known || k.used[b.tenant] > most {
			k.used[b.tenant] = k.trimTo(ctx, b.tenant, most)
		}
	}
	most := k.Rules.MaxBytes("")
	if most == 0 {
		return
	}
	if bytes, err := k.Store.Bytes(ctx); err == nil && bytes > most {
		k.trimTo(ctx, "", most)
	}
}

// trimTo is trim for one tenant, or for all, and returns the bytes that are left.
func (k *Keeper) trimTo(ctx context.Context, tenant string, most int64) int64 {
	filter := tenant
	if tenant == "" {
		filter = "*"
	}
	left, dropped, err := k.Store.Trim(ctx, filter, most)
	if err != nil {
		k.Log.Warn("kept calls beyond their bound not dropped; trying again", zap.String("tenant", tenant), zap.Error(err))
		return most + 1 // the next block tries again
	}
	if dropped > 0 {
		k.Metrics.Add(telemetry.KeptDropped, dropped, byBound)
		if err := k.Store.NoteDropped(ctx, kept.Dropped{At: time.Now(), Tenant: tenant, Calls: dropped}); err != nil {
			k.Log.Warn("note of dropped calls not stored", zap.Error(err))
		}
	}
	return left
}
