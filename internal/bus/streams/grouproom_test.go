package streams_test

import (
	"math"
	"testing"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
)

// TestGroupRoom: a group is at most half of the reserved part of the smaller of its two
// streams, and follows their bounds.
func TestGroupRoom(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	q := queuetest.Connect(t, srv)
	for _, step := range []struct{ audit, results, want int64 }{
		{48 << 10, 24 << 10, 24 << 10 / 20 / 2},
		{48 << 10, 1 << 20, 48 << 10 / 20 / 2},
		{1 << 20, 1 << 30, 1 << 20 / 20 / 2},
		{-1, -1, math.MaxInt64},
	} {
		queuetest.Bound(t, srv.URL(), streams.Audit, step.audit)
		queuetest.Bound(t, srv.URL(), streams.Results, step.results)
		queuetest.Until(t, "the room of a group follows the bounds", func() bool { return q.GroupRoom() == step.want })
	}
}
