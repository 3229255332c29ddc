package dispatch

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/protocol"
)

var plenty = Quota{User: 1000, Tenant: 1000}

// counted takes a ticket that no quota refuses.
func counted(t testing.TB, s *shares, pool string, who person, priority string) *ticket {
	t.Helper()
	tk, err := s.take(pool, who, priority, true)
	if err != nil {
		t.Fatal(err)
	}
	return tk
}

func TestFirstCallsOfAPersonAreQuick(t *testing.T) {
	t.Parallel()
	s := newShares(3, 5, plenty)
	ann := person{"acme", "ann"}
	var all []*ticket
	for i := range 10 {
		tk := counted(t, s, "default", ann, "")
		all = append(all, tk)
		if quick := tk.lane == queue.Quick; quick != (i < 3) {
			t.Errorf("call %d is in lane %q, want the first 3 in the quick lane", i+1, tk.lane)
		}
	}
	if tk := counted(t, s, "default", person{"acme", "bob"}, ""); tk.lane != queue.Quick {
		t.Errorf("the first call of another user is in lane %q, want the quick one", tk.lane)
	}
	if tk := counted(t, s, "gpu", ann, ""); tk.lane != queue.Quick {
		t.Errorf("the first call to another pool is in lane %q, want the quick one", tk.lane)
	}
	for _, tk := range all[:7] {
		tk.end()
		tk.end() // counts once
	}
	if tk := counted(t, s, "default", ann, ""); tk.lane == queue.Quick {
		t.Error("a fourth call is in the quick lane, want it behind the other three")
	}
	for _, tk := range all[7:] {
		tk.end()
	}
	if tk := counted(t, s, "default", ann, ""); tk.lane != queue.Quick {
		t.Errorf("a second call is in lane %q, want the quick one: the others have ended", tk.lane)
	}
}

// TestABatchLeavesTheQuickLane: calls of priority batch do not count against the quick calls of
// their person.
func TestABatchLeavesTheQuickLane(t *testing.T) {
	t.Parallel()
	s := newShares(3, 5, plenty)
	ann := person{"acme", "ann"}
	for range 100 {
		counted(t, s, "default", ann, protocol.PriorityBatch).end()
		counted(t, s, "default", ann, protocol.PriorityBatch)
	}
	for i := range 4 {
		if tk := counted(t, s, "default", ann, ""); (tk.lane == queue.Quick) != (i < 3) {
			t.Errorf("interactive call %d is in lane %q, want the first 3 in the quick lane", i+1, tk.lane)
		}
	}
}

func TestQuickCallsOfATenantAreBounded(t *testing.T) {
	t.Parallel()
	s := newShares(3, 5, plenty)
	quick := 0
	for i := range 50 {
		if counted(t, s, "default", person{"acme", fmt.Sprint("u", i)}, "").lane == queue.Quick {
			quick++
		}
	}
	if quick != 5 {
		t.Errorf("%d calls of a tenant are in the quick lane, want 5", quick)
	}
	if tk := counted(t, s, "default", person{"other", "u"}, ""); tk.lane != queue.Quick {
		t.Errorf("the first call of another tenant is in lane %q, want the quick one", tk.lane)
	}
}

func TestLaneOfBatch(t *testing.T) {
	t.Parallel()
	s := newShares(3, 5, plenty)
	if tk := counted(t, s, "default", person{"acme", "u"}, protocol.PriorityBatch); tk.lane == "" || tk.lane[0] != 'b' {
		t.Errorf("a batch call is in lane %q, want one for batch", tk.lane)
	}
}

// TestTheEmptierLaneIsChosen: of the two lanes of a person the one in which fewer calls of
// others are; the person's own do not count, or a backlog would fill both.
func TestTheEmptierLaneIsChosen(t *testing.T) {
	t.Parallel()
	s := newShares(1, 1, plenty)
	noisy := person{"acme", "noisy"}
	used := map[string]int{}
	for range 100 {
		used[counted(t, s, "default", noisy, "").lane]++
	}
	if len(used) != 2 { // the quick lane and one more
		t.Fatalf("one user has filled the lanes %v, want one besides the quick one", used)
	}
	for i := range 200 {
		who := person{"acme", fmt.Sprint("u", i)}
		first, second := queue.LanesOf(who.tenant, who.user, "")
		if used[first] == 0 {
			continue
		}
		tk := counted(t, s, "default", who, "")
		if tk.lane != second {
			t.Errorf("%s is in lane %s, the one of the noisy user, want %s", who.user, tk.lane, second)
		}
		tk.end()
	}
}

func TestLeftCallsCountUntilTheirResults(t *testing.T) {
	t.Parallel()
	s := newShares(1, 10, plenty)
	who := person{"acme", "u"}
	e := &call.Call{Tenant: "acme", ID: "c", StartByMS: time.Now().Add(time.Hour).UnixMilli()}
	s.leave(counted(t, s, "default", who, ""), e)
	s.ended("acme", "another")
	if tk := counted(t, s, "default", who, ""); tk.lane == queue.Quick {
		t.Error("the next call is in the quick lane while the one before goes on")
	} else {
		tk.end()
	}
	s.ended("acme", "c")
	tk := counted(t, s, "default", who, "")
	if tk.lane != queue.Quick {
		t.Error("the next call is not in the quick lane though the one before has ended")
	}
	tk.end()
	if s.leave(tk, e); len(s.late) != 0 {
		t.Error("a call that has ended is kept")
	}

	lost := counted(t, s, "default", who, "")
	s.leave(lost, &call.Call{Tenant: "acme", ID: "lost", StartByMS: time.Now().Add(-time.Hour).UnixMilli()})
	s.swept = time.Time{}
	s.leave(counted(t, s, "default", who, ""), e)
	if _, ok := s.late["acme/lost"]; ok || !lost.ended {
		t.Error("a call whose result was not seen counts for ever")
	}
}

// TestAProgramIsNotCountedForLong: a program that nobody waits for has until its deadline to start
// again, and does not count all that time.
func TestAProgramIsNotCountedForLong(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, who := newShares(1, 5, plenty), person{"acme", "ann"}
		s.leave(counted(t, s, "default", who, ""), &call.Call{
			Tenant: "acme", ID: "p", Program: "key", StartByMS: time.Now().Add(24 * time.Hour).UnixMilli(),
		})
		if tk := counted(t, s, "default", who, ""); tk.lane == queue.Quick {
			t.Error("a program that was just left is not counted")
		}
		time.Sleep(2 * programCounted)
		s.leave(counted(t, s, "default", who, ""), &call.Call{Tenant: "acme", ID: "c", StartByMS: time.Now().Add(time.Hour).UnixMilli()})
		if _, counts := s.late[lateKey("acme", "p")]; counts {
			t.Error("the program counts after its time")
		}
	})
}
