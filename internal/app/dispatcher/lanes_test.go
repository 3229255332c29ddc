package dispatcher

import (
	"testing"

	"github.com/helve-dev/helve/internal/fleet"
)

func TestPoolsHaveTheLanesOfTheirWorkers(t *testing.T) {
	t.Parallel()
	l := &laned{pools: map[string]bool{}}
	wants := func(when string, want bool) {
		t.Helper()
		if got := l.has("default"); got != want {
			t.Errorf("%s: has lanes %v, want %v", when, got, want)
		}
	}
	wants("before any worker was there", false)
	l.update(fleet.Live{"default": {{ID: "new", Lanes: true}}})
	wants("with a worker of this version", true)
	l.update(fleet.Live{"default": {{ID: "new", Lanes: true}, {ID: "old"}}})
	wants("beside a worker of an earlier version", false)
	l.update(fleet.Live{"default": {{ID: "new", Lanes: true}}})
	l.update(fleet.Live{"gpu": {{ID: "old"}}})
	wants("after its last worker left", true)
	if l.has("gpu") {
		t.Error("a pool with a worker of an earlier version only has lanes")
	}
}
