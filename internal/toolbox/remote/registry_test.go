package remote

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/tool"
)

// told is a store that tells nothing by itself: a test tells the registry.
type told struct{ Bucket }

// Follow implements [Bucket].
func (told) Follow(context.Context, func(string, []byte)) error { return nil }

func open(t *testing.T) (*Registry, *catalog.Tenants) {
	t.Helper()
	cat := catalog.NewTenants(catalog.New())
	r, err := Open(t.Context(), told{}, cat, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	return r, cat
}

func stored(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func lamp(hash string) known {
	return known{tool.Definition{Name: "lamp.on", Kind: tool.KindRemote, Group: "g", Enabled: true}, hash}
}

func beat(ttl time.Duration, hash string) instance {
	return instance{TTLMS: ttl.Milliseconds(), Tools: map[string]string{"lamp.on": hash}}
}

// TestRegistryForgetsWhoIsSilent: a tool is enabled as long as one of its instances sent a
// heartbeat within its own ttl, and again with the next heartbeat.
func TestRegistryForgetsWhoIsSilent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, cat := open(t)
		start := time.Now()
		at := func(when time.Duration, want bool) {
			t.Helper()
			time.Sleep(time.Until(start.Add(when)))
			synctest.Wait()
			def, ok := cat.Of("acme", "").Lookup("lamp.on")
			if !ok || def.Enabled != want || r.Runs("acme", "lamp.on") != want || len(r.Definitions("acme")) > 0 != want {
				t.Errorf("after %v the tool is %+v and runs: %v, want %v", when, def, r.Runs("acme", "lamp.on"), want)
			}
		}
		r.change("acme.tool.lamp.on", stored(t, lamp("h1")))
		at(0, false)
		r.change("acme.instance.p1", stored(t, beat(1500*time.Millisecond, "h1")))
		at(1400*time.Millisecond, true)
		r.change("acme.instance.p1", stored(t, beat(1500*time.Millisecond, "h1")))
		at(2800*time.Millisecond, true)
		at(2900*time.Millisecond, false)
		r.change("acme.instance.p1", stored(t, beat(time.Second, "h1")))
		r.change("acme.instance.p2", stored(t, beat(5*time.Second, "h1")))
		at(4*time.Second, true)
		r.change("acme.instance.p2", nil)
		at(4*time.Second, false)
		r.change("acme.instance.p2", stored(t, beat(5*time.Second, "an older definition")))
		at(5*time.Second, false)
		r.change("acme.tool.lamp.on", nil)
		if _, ok := cat.Of("acme", "").Lookup("lamp.on"); ok {
			t.Error("a definition that was removed is still there")
		}
	})
}

// TestHeartbeatsCostNoCatalogue: what only repeats what is known makes no copy of it.
func TestHeartbeatsCostNoCatalogue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, cat := open(t)
		r.change("acme.tool.lamp.on", stored(t, lamp("h1")))
		r.change("acme.instance.p1", stored(t, beat(time.Minute, "h1")))
		before, _ := cat.Of("acme", "").Lookup("lamp.on")
		for range 3 {
			r.change("acme.instance.p1", stored(t, beat(time.Minute, "h1")))
		}
		if now, _ := cat.Of("acme", "").Lookup("lamp.on"); now != before || !now.Enabled {
			t.Error("a heartbeat put the definition into the catalogue again")
		}
		r.change("acme.tool.lamp.on", stored(t, lamp("h2")))
		r.change("acme.instance.p1", stored(t, beat(time.Minute, "h2")))
		if now, _ := cat.Of("acme", "").Lookup("lamp.on"); now == before || !now.Enabled {
			t.Error("a changed definition did not get into the catalogue")
		}
	})
}

// TestRegistryLeavesOutWhatIsBroken: what nobody can read stands for nothing, also not for
// what was there before.
func TestRegistryLeavesOutWhatIsBroken(t *testing.T) {
	t.Parallel()
	for name, change := range map[string][2]string{
		"torn":            {"acme.tool.lamp.on", `{"definition"`},
		"another tool":    {"acme.tool.lamp.on", `{"definition":{"name":"read_file","kind":"remote"},"hash":"h1"}`},
		"another kind":    {"acme.tool.lamp.on", `{"definition":{"name":"lamp.on","kind":"builtin"},"hash":"h1"}`},
		"a torn instance": {"acme.instance.p1", `{"ttl_ms":`},
		"no time":         {"acme.instance.p1", `{"tools":{"lamp.on":"h1"}}`},
		"no end of time":  {"acme.instance.p1", `{"ttl_ms":99999999999,"tools":{"lamp.on":"h1"}}`},
	} {
		r, _ := open(t)
		r.change("acme.tool.lamp.on", stored(t, lamp("h1")))
		r.change("acme.instance.p1", stored(t, beat(time.Minute, "h1")))
		if !r.Runs("acme", "lamp.on") || r.Runs("other", "lamp.on") {
			t.Fatal("the tool does not run, or for another tenant")
		}
		r.change(change[0], []byte(change[1]))
		r.change("acme.nonsense.x", []byte(`{}`))
		if r.Runs("acme", "lamp.on") {
			t.Errorf("%s: the tool runs", name)
		}
	}
}

// TestInstances: the live instances of a tenant are listed with the tools they run by the
// stored definition, and when they were heard.
func TestInstances(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, _ := open(t)
		start := time.Now()
		r.change("acme.tool.lamp.on", stored(t, lamp("h1")))
		r.change("acme.instance.p2", stored(t, beat(2*time.Second, "h1")))
		r.change("acme.instance.p1", stored(t, beat(5*time.Second, "an older definition")))
		r.change("other.instance.p3", stored(t, beat(5*time.Second, "h1")))
		got := r.Instances("acme")
		if len(got) != 2 || got[0].Instance != "p1" || len(got[0].Tools) != 0 || got[1].Instance != "p2" || len(got[1].Tools) != 1 ||
			got[1].Tools[0].Name != "lamp.on" ||
			!got[1].LastSeen.Equal(start) || got[1].TTLMS != 2000 {
			t.Errorf("the instances are %+v", got)
		}
		time.Sleep(3 * time.Second)
		synctest.Wait()
		if got := r.Instances("acme"); len(got) != 1 || got[0].Instance != "p1" {
			t.Errorf("after its time p2 is among %+v", got)
		}
		if got := r.Instances("nobody"); got != nil {
			t.Errorf("nobody has %+v", got)
		}
	})
}
