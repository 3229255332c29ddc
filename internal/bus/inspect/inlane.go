package inspect

import "context"

// InLane reports whether a call is in a lane, also while a worker holds it, or may be: more calls
// are there than are looked at. A call that no process has and that is not queued is lost.
func (b *Inspector) InLane(ctx context.Context, tenant, pool, tool, callID string) (bool, error) {
	stream, state, err := b.queuedOf(ctx, tenant, tool)
	if err != nil {
		return false, err
	}
	more := false
	for subject, calls := range state.Subjects {
		if _, ok := b.laneOf(subject, pool); !ok {
			continue
		}
		e, err := b.waits(ctx, stream, subject, 1, callID, calls) // the queue keeps a call until its worker has ended it
		if e != nil || err != nil {
			return e != nil, err
		}
		more = more || calls > searchedAtOnce
	}
	return more, nil
}
