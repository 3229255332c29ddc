package fleet

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/queue"
)

// Live is the live workers of each pool, the oldest first.
type Live map[string][]Worker

func (l Live) sort() {
	for _, all := range l {
		slices.SortFunc(all, func(a, b Worker) int { return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID)) })
	}
}

// InPool returns the IDs of the workers that run calls of a pool's tools, those that do so
// for one person included, in order.
func (l Live) InPool(pool string) []string {
	ids := []string{}
	for name, workers := range l {
		if name != pool && queue.BasePool(name) != pool {
			continue
		}
		for _, w := range workers {
			ids = append(ids, w.ID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Workspaces returns the identities of the workspaces directories of a pool's workers,
// that of the oldest worker first. With more than one, a file that one call writes is
// missing for the next.
func (l Live) Workspaces(pool string) []string {
	var ids []string
	for _, w := range l[pool] {
		if !slices.Contains(ids, w.Workspace) {
			ids = append(ids, w.Workspace)
		}
	}
	return ids
}

// Homes returns the workers of a pool that persons are bound to.
func (l Live) Homes(pool string) []Worker {
	return slices.DeleteFunc(slices.Clone(l[pool]), func(w Worker) bool { return w.Home == "" })
}

// Bound reports whether persons are bound to the workers of a pool, to each of them.
func (l Live) Bound(pool string) bool {
	return len(l[pool]) > 0 && len(l.Homes(pool)) == len(l[pool])
}

// Split returns the pools whose workers have different workspaces directories though no
// person is bound to one of them, in order.
func (l Live) Split() []string {
	var pools []string
	for pool := range l {
		if len(l.Workspaces(pool)) > 1 && !l.Bound(pool) {
			pools = append(pools, pool)
		}
	}
	slices.Sort(pools)
	return pools
}

// roster stores the announcements of workers. The time since the last announcement is
// measured here, from its arrival: no two clocks are compared, and while NATS is away
// or does not answer no worker expires. A worker whose announcement is stored lives too: a NATS server that
// leaves its cluster takes the consumer of this process along, which then receives nothing
// for some seconds.
type roster struct {
	since   func() time.Time // when NATS was connected; zero while it is away
	stored  func(key string) (bool, error)
	changed func(Live)
	log     *zap.Logger

	mu    sync.Mutex
	all   map[string]*entry // by key
	kinds map[string]*Kind  // by key
	told  bool              // changed is called for each change from now on
	lost  []Lost            // the last one last
	gone  func(Lost)        // called with each worker that is lost
}

// entry is a worker's announcement to one pool.
type entry struct {
	pool   string
	worker Worker
	// counted is the number of started calls at the time heard, from which the rate is
	// measured.
	counted uint64
	heard   time.Time
	end     time.Time
	unread  time.Time // since when each read of the stored announcement failed; zero if the last one did not
	timer   *time.Timer
}

func newRoster(
	ctx context.Context, since func() time.Time, stored func(key string) (bool, error), changed func(Live), log *zap.Logger,
) *roster {
	r := &roster{
		since:   since,
		stored:  stored,
		changed: changed,
		gone:    func(Lost) {},
		log:     log,
		all:     map[string]*entry{},
		kinds:   map[string]*Kind{},
	}
	context.AfterFunc(ctx, r.stop)
	return r
}

func (r *roster) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.told = false
	for _, e := range r.all {
		e.timer.Stop()
	}
}

// open calls changed with the current workers, and from now on at each change.
func (r *roster) open() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.told = true
	r.report()
}

// report calls changed. The lock is held.
func (r *roster) report() {
	if r.told {
		r.changed(r.live())
	}
}

// now returns the live workers.
func (r *roster) now() Live {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.live()
}

func (r *roster) live() Live {
	live := Live{}
	for _, e := range r.all {
		w := e.worker
		w.Tools = r.kinds[e.kind()]
		live[e.pool] = append(live[e.pool], w)
	}
	live.sort()
	return live
}

// kind returns the key of the entry's list of tools.
func (e *entry) kind() string { return e.pool + "." + kindMark + e.worker.Kind }

func (r *roster) change(key string, value []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, id, _ := strings.Cut(key, ".")
	if hash, ok := strings.CutPrefix(id, kindMark); ok {
		r.changeKind(key, hash, value)
		return
	}
	if value == nil { // expired on the server
		return
	}
	pool, w, err := announced(key, value)
	if err != nil {
		r.log.Warn("announcement of a worker not readable", zap.String("key", key), zap.Error(err))
		return
	}
	e := r.all[key]
	r.found(w.ID)
	switch {
	case w.Left && e != nil:
		e.timer.Stop()
		delete(r.all, key)
		r.report()
	case w.Left:
	case e == nil:
		e = &entry{pool: pool, worker: w, counted: w.Started, heard: time.Now()}
		e.timer = time.AfterFunc(workerLife, func() { r.expire(key, e) })
		r.all[key] = e
		e.endIn(workerLife)
		r.report()
	default:
		same := e.worker.same(&w)
		e.measure(&w, time.Now())
		e.worker, e.unread = w, time.Time{}
		if e.endIn(workerLife); !same {
			r.report()
		}
	}
}

// measure sets the rate of a new announcement. Announcements that come soon after another
// one keep the rate: a short time measures nothing.
func (e *entry) measure(w *Worker, now time.Time) {
	since := now.Sub(e.heard)
	if w.Rate = e.worker.Rate; since < workerAgain/2 || w.Started < e.counted {
		return
	}
	w.Rate = float64(w.Started-e.counted) / since.Seconds()
	e.counted, e.heard = w.Started, now
}

// changeKind stores a list of tools, even if no worker has it now: a worker that was
// presumed dead refers to it again and does not repeat it immediately. The lock is
// held.
func (r *roster) changeKind(key, hash string, value []byte) {
	if value == nil {
		if !r.used(key) {
			delete(r.kinds, key)
		}
		return
	}
	if r.kinds[key] != nil {
		return // the key identifies the contents
	}
	kind, err := decodeKind(hash, value)
	if err != nil {
		r.log.Warn("list of a worker's tools not readable", zap.String("key", key), zap.Error(err))
		return
	}
	if r.kinds[key] = kind; r.used(key) {
		r.report()
	}
}

func (r *roster) used(kind string) bool {
	for _, e := range r.all {
		if e.kind() == kind {
			return true
		}
	}
	return false
}

func (e *entry) endIn(d time.Duration) {
	e.end = time.Now().Add(d)
	e.timer.Reset(d)
}

// awayLook is the interval at which entries are examined that must not expire while
// NATS is away.
const awayLook = time.Second

// storedLook is the interval at which an announcement that is stored and was not received
// again is read again. The server removes it [workerLife] after it was stored.
const storedLook = 250 * time.Millisecond

// unreadFor is the time for which reads fail before a worker is removed nevertheless. Where a
// majority of a cluster is away, its servers stay connected and their streams do not answer.
const unreadFor = time.Minute

func (r *roster) expire(key string, e *entry) {
	if !r.due(key, e) {
		return
	}
	there, err := r.stored(key)
	r.mu.Lock()
	defer r.mu.Unlock()
	unread := e.unread
	if err == nil {
		e.unread = time.Time{}
	} else if unread.IsZero() {
		e.unread = time.Now()
	}
	switch {
	case r.all[key] != e, time.Now().Before(e.end): // announced meanwhile
	case there:
		e.endIn(storedLook)
	case err != nil && (unread.IsZero() || time.Since(unread) < unreadFor):
		e.endIn(awayLook)
	case err == nil && !unread.IsZero(): // the worker could not repeat it, and may be about to
		e.endIn(workerBack)
	default:
		delete(r.all, key)
		r.lose(e)
		r.report()
	}
}

// due reports whether a worker is to be removed unless its announcement is stored.
func (r *roster) due(key string, e *entry) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	since := r.since()
	switch back := workerBack - time.Since(since); {
	case r.all[key] != e:
	case since.IsZero():
		e.endIn(awayLook)
	case back > 0: // the worker may be about to repeat it
		e.endIn(back)
	case time.Now().Before(e.end): // it was announced as the timer fired
	default:
		return true
	}
	return false
}
