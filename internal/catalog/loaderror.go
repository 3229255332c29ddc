package catalog

import (
	"cmp"
	"slices"
)

// LoadError is something in a tools directory, or of an MCP server, that could not be
// loaded.
type LoadError struct {
	// File is the file's name in its directory, or the group of the server's tools.
	File string `json:"file"`
	// Entry is which of the file's definitions, from 0; nil is the whole file.
	Entry *int `json:"entry"`
	// Reason is a sentence.
	Reason string `json:"reason"`
}

// SetLoadErrors keeps what one worker could not load; nil forgets the worker.
func (t *Tenants) SetLoadErrors(worker string, list []LoadError) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(list) == 0 {
		delete(t.failed, worker)
		return
	}
	t.failed[worker] = list
}

// LoadErrors returns what any worker could not load, by file and entry, each
// once.
func (t *Tenants) LoadErrors() []LoadError {
	t.mu.RLock()
	all := []LoadError{}
	for _, list := range t.failed {
		all = append(all, list...)
	}
	t.mu.RUnlock()
	slices.SortFunc(all, compareLoadErrors)
	return slices.CompactFunc(all, func(a, b LoadError) bool { return compareLoadErrors(a, b) == 0 })
}

func compareLoadErrors(a, b LoadError) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.entry(), b.entry()), cmp.Compare(a.Reason, b.Reason))
}

func (e LoadError) entry() int {
	if e.Entry == nil {
		return -1
	}
	return *e.Entry
}
