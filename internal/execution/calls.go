package execution

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/helve-dev/helve/protocol"
)

// callKey names a call.
type callKey struct{ tenant, id string }

// calls holds the calls that this worker owns.
type calls struct {
	mu  sync.Mutex
	all map[callKey]*run
}

func newCalls() *calls { return &calls{all: map[callKey]*run{}} }

// Owned describes a call that this worker owns.
type Owned struct {
	Origin, Tool, Pool string
	Owner              *protocol.Owner
	// Direct is set if the call is in no queue.
	Direct bool
	// Nested holds the ids of calls that it made and that remote processes run.
	Nested []string
}

// add reports false if this worker owns the call already.
func (s *calls) add(r *run) bool {
	k := callKey{r.call.Tenant, r.call.ID}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all[k] != nil {
		return false
	}
	s.all[k] = r
	return true
}

// remove removes a call, unless this worker owns it by another delivery.
func (s *calls) remove(r *run) {
	k := callKey{r.call.Tenant, r.call.ID}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all[k] == r {
		delete(s.all, k)
	}
}

func (s *calls) get(k callKey) *run {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all[k]
}

func (s *calls) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.all)
}

// stop cancels every running call for the same cause.
func (s *calls) stop(cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.all {
		r.stop(cause)
	}
}

func (s *calls) owned(r *run) *Owned {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &Owned{
		Origin: r.call.Origin,
		Tool:   r.call.Tool,
		Pool:   r.call.Pool,
		Owner:  r.call.Owner(),
		Direct: r.call.Direct,
		Nested: slices.Sorted(maps.Keys(r.nested)),
	}
}

// noteRemote implements [Executor.NoteRemote].
func (s *calls) noteRemote(tenant, callID string) (done func()) {
	outer, _, nested := strings.Cut(callID, "~")
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.all[callKey{tenant, outer}]
	if r == nil || !nested {
		return func() {}
	}
	if r.nested == nil {
		r.nested = map[string]bool{}
	}
	r.nested[callID] = true
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(r.nested, callID)
	}
}

// ofPool returns the calls of a pool that this worker owns, at most so many.
func (s *calls) ofPool(pool string, most int) (found []*Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.all {
		if r.call.Pool == pool && len(found) < most {
			found = append(found, r.call)
		}
	}
	return found
}

// list returns the calls of a tenant that this worker owns, at most so many.
func (s *calls) list(tenant string, most int) (found []*Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, r := range s.all {
		if k.tenant == tenant && len(found) < most {
			found = append(found, r.call)
		}
	}
	return found
}
