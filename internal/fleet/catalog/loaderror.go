package catalog

import (
	"cmp"
	"slices"

	"github.com/helve-dev/helve/protocol"
)

// SetLoadErrors stores the load errors of one worker; nil removes the worker.
func (t *Tenants) SetLoadErrors(worker string, list []protocol.LoadError) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(list) == 0 {
		delete(t.failed, worker)
		return
	}
	t.failed[worker] = list
}

// LoadErrors returns the load errors of all workers, by file and entry, each once.
func (t *Tenants) LoadErrors() []protocol.LoadError {
	t.mu.RLock()
	all := []protocol.LoadError{}
	for _, list := range t.failed {
		all = append(all, list...)
	}
	t.mu.RUnlock()
	slices.SortFunc(all, compareLoadErrors)
	return slices.CompactFunc(all, func(a, b protocol.LoadError) bool { return compareLoadErrors(a, b) == 0 })
}

func compareLoadErrors(a, b protocol.LoadError) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(entryOf(a), entryOf(b)), cmp.Compare(a.Reason, b.Reason))
}

func entryOf(e protocol.LoadError) int {
	if e.Entry == nil {
		return -1
	}
	return *e.Entry
}
