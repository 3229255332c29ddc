package faults

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// leaderOf returns the server that leads the stream of a subject, -1 if none does.
func (c *cluster) leaderOf(w *world, stream string) int {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	s, err := w.observe().js.Stream(ctx, stream)
	if err != nil || s.CachedInfo().Cluster == nil || s.CachedInfo().Cluster.Leader == "" {
		return -1
	}
	leader := s.CachedInfo().Cluster.Leader
	return slices.IndexFunc(c.routes, func(route string) bool {
		return strings.HasSuffix(route, ":"+strings.TrimPrefix(leader, "helve-"))
	})
}

// TestProgramsOverLeaders kills the leader of the journals of programs, and then the leader of their
// states, while programs make steps and wait, and starts each again: every program ends as
// without that, and each step acts once.
func TestProgramsOverLeaders(t *testing.T) {
	nightly(t)
	t.Parallel()
	c := newCluster(t)
	w := c.world()
	w.worker(threeCopies("HELVE_WORKER_SLOTS=16")...)
	d := w.dispatcher(threeCopies(quickly)...)
	c.whole(w)
	const many, steps = 8, 20
	for round, stream := range []string{"HELVE_PROGRAMS", "KV_helve_programs"} {
		var calls []*call
		for i := range many {
			p := w.program(fmt.Sprintf("p%d-%d", round, i), steps)
			calls = append(calls, p)
			await(t, "an accepted program", func() bool { return d.execute(0, p).status == http.StatusOK })
		}
		before := len(w.ledger(defaultTenant))
		await(t, "some steps", func() bool { return len(w.ledger(defaultTenant)) > before+many })
		leader := -1
		await(t, "a leader of "+stream, func() bool { leader = c.leaderOf(w, stream); return leader >= 0 })
		began := time.Now()
		c.servers[leader].kill()
		await(t, "another leader of "+stream, func() bool { now := c.leaderOf(w, stream); return now >= 0 && now != leader })
		t.Logf("%s has another leader after %v", stream, time.Since(began).Round(time.Millisecond))
		for _, p := range calls {
			if n := w.acted(p, d.settle(t, p), steps); n > 0 {
				t.Errorf("of %d steps of %s nobody knows, and no worker died", n, p.ID)
			}
		}
		t.Logf("all programs ended after %v", time.Since(began).Round(time.Millisecond))
		c.start(leader)
		c.whole(w)
	}
	w.settled(d)
}
