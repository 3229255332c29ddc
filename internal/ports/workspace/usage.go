package workspace

import (
	"sync"
	"time"
)

const (
	// recount is the age at which a count is repeated. A count that took long is
	// repeated more rarely: counting takes at most a hundredth of the time.
	recount = 30 * time.Second
	// cheap is the duration up to which a count is repeated for every write that finds
	// no room, so that deletions by others take effect immediately.
	cheap = 5 * time.Millisecond
	// maxUsages is the number of counts held in memory.
	maxUsages = 4096
)

// usage is the size of one workspace: the last count by this process, and its own
// changes since. The next count sees changes of other processes.
type usage struct {
	dir    string
	limits Limits

	mu      sync.Mutex
	held    amount
	pending amount // of unfinished writes; a count ignores their files
	kept    amount // earlier versions, a part of held
	counted time.Time
	took    time.Duration
	largest []item
}

// usages holds the usage of workspaces by their directory.
type usages struct {
	mu  sync.Mutex
	all map[string]*usage
}

// usage returns the usage of the workspace in dir.
func (w *Workspaces) usage(dir string) *usage {
	w.usages.mu.Lock()
	defer w.usages.mu.Unlock()
	if u, ok := w.usages.all[dir]; ok {
		return u
	}
	if len(w.usages.all) >= maxUsages {
		clear(w.usages.all) // they are counted again when needed
	}
	u := &usage{dir: dir, limits: w.limits}
	w.usages.all[dir] = u
	return u
}

// take reserves room for a and reports whether there was any. settle ends the
// reservation. Earlier versions are removed to make room.
func (u *usage) take(a amount) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.refresh(max(recount, 100*u.took))
	if !u.fits(a) {
		u.refresh(u.patience())
	}
	if !u.fits(a) && u.kept.files > 0 {
		u.prune(u.held.plus(u.pending).plus(a), u.limits.MaxBytes, u.limits.MaxFiles)
	}
	if !u.fits(a) {
		return false
	}
	u.pending = u.pending.plus(a)
	return true
}

// patience is the age of a count that suffices to refuse a write.
func (u *usage) patience() time.Duration {
	if u.took < cheap {
		return 0
	}
	return 10 * u.took
}

func (u *usage) fits(a amount) bool { return u.limits.within(u.held.plus(u.pending).plus(a)) }

// settle ends a reservation and counts what was written.
func (u *usage) settle(reserved, written amount) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.pending = u.pending.minus(reserved)
	u.held = u.held.plus(written)
}

// free subtracts what was removed.
func (u *usage) free(a amount) { u.settle(amount{}, amount{}.minus(a)) }

// stale makes the next take count.
func (u *usage) stale() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.counted = time.Time{}
}

// refresh counts unless the last count is younger than age. It needs mu, because
// concurrent writers need the count as well.
func (u *usage) refresh(age time.Duration) {
	began := time.Now()
	if !u.counted.IsZero() && began.Sub(u.counted) < age {
		return
	}
	c := &census{limits: u.limits, ends: began.Add(maxCount), tops: map[string]*amount{}}
	if u.limits.MaxBytes > 0 || u.limits.MaxFiles > 0 {
		c.tree(u.dir, true)
	}
	files := c.total
	c.tree(u.dir+versionsSuffix, false)
	u.held, u.kept = c.total, c.total.minus(files)
	u.largest = c.largest()
	u.counted = time.Now()
	u.took = u.counted.Sub(began)
}
