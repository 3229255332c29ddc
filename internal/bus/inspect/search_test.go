package inspect_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/call"
)

// TestSearch: a call is found by its id while it waits and while a worker has it, in every
// lane of its pool, and also far behind the front of a long queue.
func TestSearch(t *testing.T) {
	t.Parallel()
	q := connect(t, queuetest.Server(t))
	find := func(tenant, pool, tool, id string, accepted time.Time) string {
		t.Helper()
		e, err := q.Inspector.Search(queuetest.Context(t), tenant, pool, tool, id, accepted)
		if err != nil {
			t.Fatalf("Search(%s) = %v", id, err)
		}
		if e == nil {
			return "none"
		}
		return e.Tenant + " " + e.Pool + " " + e.Lane + " " + string(e.Arguments)
	}
	lane, other := newCall("lane"), newCall("first")
	lane.Lane, other.Tenant = "3", "umbrella"
	other.Arguments = []byte(`{"n":2}`)
	for _, e := range []*call.Call{other, lane, newCall("first")} {
		if err := submit(t, q, e); err != nil {
			t.Fatal(err)
		}
	}
	c, taken := consume(t, q, 1)
	defer c.Close()
	held := queuetest.Receive(t, taken, "call")
	for id, want := range map[string]string{"first": `acme default  {"n":1}`, "lane": `acme default 3 {"n":1}`, "nowhere": "none"} {
		if got := find("acme", "default", "echo", id, time.Time{}); got != want {
			t.Errorf("Search(%s) = %s, want %s", id, got, want)
		}
	}
	for _, of := range [][3]string{{"nobody", "default", "echo"}, {"acme", "gpu", "echo"}, {"acme", "default", "hold"}} {
		if got := find(of[0], of[1], of[2], "first", time.Time{}); got != "none" {
			t.Errorf("Search in %v = %s", of, got)
		}
	}
	settled(held)
}

// TestSearchFarBehind: the time at which a call was accepted leads to it.
func TestSearchFarBehind(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	fill := func(name string) {
		t.Helper()
		for i := range 250 {
			if err := submit(t, q, newCall(fmt.Sprint(name, i))); err != nil {
				t.Fatal(err)
			}
		}
	}
	fill("before")
	accepted := time.Now().Add(100 * time.Millisecond) // by a clock that is ahead as far as it may be
	if err := submit(t, q, newCall("far")); err != nil {
		t.Fatal(err)
	}
	fill("behind")
	for name, tt := range map[string]struct {
		accepted time.Time
		found    bool
	}{"accepted": {accepted, true}, "unknown": {time.Time{}, false}, "too early": {accepted.Add(-time.Hour), false}} {
		e, err := q.Inspector.Search(queuetest.Context(t), "acme", "default", "echo", "far", tt.accepted)
		if err != nil || (e != nil) != tt.found {
			t.Errorf("%s: Search = %v, %v, want found: %v", name, e, err, tt.found)
		}
	}
}
