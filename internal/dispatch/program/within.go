package program

import (
	"slices"

	"github.com/helve-dev/helve/internal/bus/programs"
	"github.com/helve-dev/helve/internal/durable"
	"github.com/helve-dev/helve/protocol"
)

// awaited returns the things that a program waits for. A step that is a program and waits itself is
// replaced by the things that it waits for, so that a front end sees the person or the time.
func (x *index) awaited(k *known) []protocol.ProgramWait {
	return x.within(k, durable.MaxDepth)
}

func (x *index) within(k *known, depth int) (all []protocol.ProgramWait) {
	if depth == 0 || !slices.ContainsFunc(k.waits, isCall) {
		return k.waits
	}
	for _, wait := range k.waits {
		var inner *known
		if isCall(wait) {
			inner = x.get(programs.Key{Tenant: k.key.Tenant, CallID: wait.CallID})
		}
		if inner == nil || inner.state != durable.Waiting {
			all = append(all, wait)
			continue
		}
		all = append(all, x.within(inner, depth-1)...)
	}
	return all
}

func isCall(w protocol.ProgramWait) bool { return w.Kind == protocol.WaitCall }
