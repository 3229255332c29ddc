package keep

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/audit/scan"
	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/internal/bus/kept"
	"github.com/helve-dev/helve/internal/identity/vault"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/protocol"
)

// Rules are the settings of what is kept.
type Rules interface {
	// Time returns how long a call of a tool is kept; 0 means that it is not.
	Time(tenant, tool string, failed bool) time.Duration
	// MaxBytes returns the bound of the kept calls of a tenant, or of all with an empty name;
	// 0 means that they have none.
	MaxBytes(tenant string) int64
}

// Keeper keeps the calls whose results it is given. It implements [trail.Keeper]. One is enough
// for a system; two that run at the same time keep calls twice.
type Keeper struct {
	Store kept.Store
	Rules Rules
	// Keys encrypt what is kept.
	Keys vault.Wrapper
	// Hide returns the arguments of a call without their secrets, from the form in which a
	// worker has kept them; nil if they are not known.
	Hide    func(tenant, user, tool, stored string) json.RawMessage
	Metrics *telemetry.Metrics
	Log     *zap.Logger

	mu      sync.Mutex // guards the following fields
	results string
	// from is the place up to which calls were kept before, reached that up to which all
	// results were taken.
	from, reached uint64
	// failed and others wait to be packed, those that failed before the others.
	failed, others []ended
	bytes          int
	// crowded is the number of calls that were left out since the last look.
	crowded int

	// noted is the place that is noted, used has the bytes of the tenants with a bound.
	noted uint64
	used  map[string]int64
}

// ended is a call that has ended, as it was read.
type ended struct {
	to
	callID, tool, arguments string
	element                 []byte
	seq                     uint64
	at                      time.Time
}

// size returns the bytes that a call takes while it waits.
func (e *ended) size() int { return len(e.element) + len(e.arguments) + len(e.callID) }

const (
	// packEvery is the interval at which calls are packed, and packMost the number that is
	// packed then. To find what looks like a secret in arguments takes as long as half of a
	// quick call takes, so a burst of calls is packed while it is over.
	packEvery = time.Second
	packMost  = 500
	// pendingMost bounds the bytes of results that wait to be packed. Beyond it calls are left
	// out, those that failed later than others: the trail must not wait for what is kept.
	pendingMost = 64 << 20
)

// The reasons in the metric of calls that are not kept until their time is over.
const (
	byBound = "max_bytes"
	byCrowd = "behind"
)

// Begin implements [trail.Keeper].
func (k *Keeper) Begin(ctx context.Context, results string, from uint64) (uint64, error) {
	place, known, err := k.Store.Place(ctx, results)
	if err != nil {
		return 0, err
	}
	if !known {
		place = from
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.results, k.from, k.reached, k.failed, k.others, k.bytes = results, place, place, nil, nil, 0
	return place, nil
}

// Take implements [trail.Keeper].
func (k *Keeper) Take(f *stream.Final, i int) {
	facts, known := factsOf(f.Records[i])
	if !known {
		return
	}
	e := ended{
		to{f.Tenant, facts.user, k.Rules.Time(f.Tenant, facts.tool, facts.failed)},
		f.Calls[i], facts.tool, f.Arguments[i], f.Elements[i], f.Seq, f.At,
	}
	if e.ttl <= 0 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	most := pendingMost
	if facts.failed {
		most += pendingMost / 4
	}
	switch {
	case f.Seq <= k.from:
		return
	case k.bytes+e.size() > most:
		k.crowded++
		return
	case facts.failed:
		k.failed = append(k.failed, e)
	default:
		k.others = append(k.others, e)
	}
	k.bytes += e.size()
}

// Reached implements [trail.Keeper].
func (k *Keeper) Reached(seq uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.reached = max(k.reached, seq)
}

// taken returns the calls that are packed next, the place up to which all calls are kept once
// these are, and the number of those that were left out.
func (k *Keeper) taken() (calls []ended, results string, place uint64, left int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	place = k.reached
	for _, waiting := range []*[]ended{&k.failed, &k.others} {
		n := min(len(*waiting), packMost-len(calls))
		calls = append(calls, (*waiting)[:n]...)
		if *waiting = (*waiting)[n:]; len(*waiting) == 0 {
			*waiting = nil
		} else {
			place = min(place, (*waiting)[0].seq-1)
		}
	}
	for i := range calls {
		k.bytes -= calls[i].size()
	}
	left, k.crowded = k.crowded, 0
	return calls, k.results, place, left
}

// Run keeps the calls that are taken, until ctx ends.
func (k *Keeper) Run(ctx context.Context) {
	tick := time.NewTicker(packEvery)
	defer tick.Stop()
	k.used, k.noted = map[string]int64{}, 0
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			k.keep(ctx)
		}
	}
}

// keep stores what was taken, and notes its place once all of it is stored.
func (k *Keeper) keep(ctx context.Context) {
	calls, results, place, left := k.taken()
	if left > 0 {
		k.Metrics.Add(telemetry.KeptDropped, left, byCrowd)
		k.Log.Warn("calls not kept: too many ended lately", zap.Int("calls", left))
	}
	blocks := k.blocks(calls)
	for i := range blocks {
		k.insist(ctx, &blocks[i])
	}
	if len(blocks) > 0 {
		k.trim(ctx, blocks)
	}
	if ctx.Err() != nil || place <= k.noted {
		return
	}
	if err := k.Store.NotePlace(ctx, results, place); err != nil {
		k.Log.Warn("place of kept calls not stored; trying again", zap.Error(err))
		return
	}
	k.noted = place
}

// insist stores a block, however often it must be tried.
func (k *Keeper) insist(ctx context.Context, b *packing) {
	block := &kept.Block{Tenant: b.tenant, User: b.user, TTL: b.ttl, Since: b.since}
	for i := range b.calls {
		block.Calls = append(block.Calls, b.calls[i].CallID)
	}
	for logged := false; ; {
		err := pack(ctx, k.Keys, block, b.calls)
		if err == nil {
			err = k.Store.Write(ctx, block)
		}
		if err == nil || ctx.Err() != nil {
			b.stored = len(block.Body) + len(block.Key)
			return
		}
		if !logged {
			k.Log.Warn("calls not kept; trying again", zap.String("tenant", b.tenant), zap.Error(err))
			logged = true
		}
		select {
		case <-ctx.Done():
		case <-time.After(packEvery):
		}
	}
}

// facts hold the parts of a final record by which a call is kept.
type facts struct {
	user, tool string
	failed     bool
}

// factsOf reads a final record; ok is false if it cannot be read.
func factsOf(record []byte) (f facts, ok bool) {
	if scanned, ok := scan.Record(record); ok {
		v := &scanned.Values
		return facts{string(v[scan.User]), string(v[scan.Tool]), string(v[scan.Status]) != protocol.StatusSuccess}, true
	}
	r, err := audit.Decode(record)
	if err != nil {
		return f, false
	}
	return facts{r.User, r.Tool, r.Result == nil || r.Result.Status != protocol.StatusSuccess}, true
}
