package dispatch

import (
	"context"
	"sync"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// countRefused counts a call that no worker sees.
func (d *Dispatcher) countRefused(tenant string, def *tool.Definition, kind tool.Kind) {
	d.Metrics.CallDone(telemetry.ToolLabel(def), protocol.StatusError, string(kind), 0, 0)
	d.Metrics.TenantCall(tenant, protocol.StatusError)
}

// waits reports the calls that wait in each pool. A pool of one person is counted under the
// pool whose tools it has, because no user is a label.
type waits struct {
	metrics *telemetry.Metrics

	mu    sync.Mutex
	pools map[string]map[string]queue.PoolBacklog // by pool, and then by the pools of persons
}

func newWaits(ctx context.Context, m *telemetry.Metrics) *waits {
	w := &waits{metrics: m, pools: map[string]map[string]queue.PoolBacklog{}}
	context.AfterFunc(ctx, m.Read(w.report))
	return w
}

// seen records the calls that wait in a pool.
func (w *waits) seen(now queue.PoolBacklog) {
	base := queue.BasePool(now.Pool)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pools[base] == nil {
		w.pools[base] = map[string]queue.PoolBacklog{}
	}
	w.pools[base][now.Pool] = now
	sum := 0
	for _, one := range w.pools[base] {
		sum += int(one.Calls)
	}
	w.metrics.Pool(base).Backlog(sum)
}

// report sets the time of the oldest call of each pool.
func (w *waits) report(set telemetry.Set) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for base, pools := range w.pools {
		for _, one := range pools {
			if !one.Oldest.IsZero() {
				set(telemetry.PoolOldest, float64(one.Oldest.UnixMilli())/1000, base)
			}
		}
	}
}
