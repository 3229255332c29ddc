package fleet

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"
)

// Lost is a worker whose announcements ended though it did not leave: it was killed, or is
// cut off from NATS.
type Lost struct {
	ID    string
	Pools []string
	// Busy is the number of calls it ran at its last announcement.
	Busy int
	// At is when it was found lost.
	At time.Time

	calls []string
}

const (
	// lostKept is the time for which a lost worker is remembered, lostMost the number of them.
	lostKept = 15 * time.Minute
	lostMost = 100
)

// CallMark returns the name of a call in announcements. It does not show the ID of the call:
// workers of persons read announcements too.
func CallMark(tenant, callID string) string {
	sum := sha256.Sum256([]byte(tenant + "/" + callID))
	return hex.EncodeToString(sum[:8])
}

// lose remembers a worker that was removed without leaving. The lock is held.
func (r *roster) lose(e *entry) {
	i := slices.IndexFunc(r.lost, func(l Lost) bool { return l.ID == e.worker.ID })
	if i < 0 {
		r.lost = append(r.lost[max(0, len(r.lost)-lostMost+1):], Lost{ID: e.worker.ID})
		i = len(r.lost) - 1
	}
	l := &r.lost[i]
	l.Pools, l.Busy, l.At, l.calls = append(l.Pools, e.pool), l.Busy+e.worker.Busy, time.Now(), append(l.calls, e.worker.Calls...)
	if r.told {
		r.gone(Lost{ID: l.ID, Pools: []string{e.pool}, Busy: e.worker.Busy, At: l.At})
	}
}

// found forgets that a worker was lost. The lock is held.
func (r *roster) found(id string) {
	r.lost = slices.DeleteFunc(r.lost, func(l Lost) bool { return l.ID == id })
}

// missed returns the workers that were lost lately, the last one last.
func (r *roster) missed() []Lost {
	r.mu.Lock()
	defer r.mu.Unlock()
	var lost []Lost
	for _, l := range r.lost {
		if time.Since(l.At) < lostKept {
			l.Pools = slices.Clone(l.Pools)
			lost = append(lost, l)
		}
	}
	return lost
}

// Lost returns the workers that were lost lately and are not back, the last one last.
func (f *Fleet) Lost() []Lost { return f.missed() }

// Ran returns the workers whose last announcement names a call.
func (f *Fleet) Ran(tenant, callID string) []string {
	mark := CallMark(tenant, callID)
	var ids []string
	for _, workers := range f.Live() {
		for _, w := range workers {
			if slices.Contains(w.Calls, mark) {
				ids = append(ids, w.ID)
			}
		}
	}
	for _, l := range f.Lost() {
		if slices.Contains(l.calls, mark) {
			ids = append(ids, l.ID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
