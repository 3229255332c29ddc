package remote

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/catalog"
	"github.com/helve-dev/helve/tool"
)

// told is a store that tells nothing by itself: a test tells the book.
type told struct{ Bucket }

// Follow implements [Bucket].
func (told) Follow(context.Context, func(string, []byte)) error { return nil }

func open(t *testing.T) (*Book, *catalog.Tenants) {
	t.Helper()
	cat := catalog.NewTenants(catalog.New())
	b, err := Open(t.Context(), told{}, cat, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	return b, cat
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

// TestBookForgetsWhoIsSilent: a tool is enabled as long as one of its instances was heard
// of within its own ttl, and again with the next heartbeat.
func TestBookForgetsWhoIsSilent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, cat := open(t)
		start := time.Now()
		at := func(when time.Duration, want bool) {
			t.Helper()
			time.Sleep(time.Until(start.Add(when)))
			synctest.Wait()
			def, ok := cat.Of("acme").Lookup("lamp.on")
			if !ok || def.Enabled != want || b.Runs("acme", "lamp.on") != want || len(b.Definitions("acme")) > 0 != want {
				t.Errorf("after %v the tool is %+v and runs: %v, want %v", when, def, b.Runs("acme", "lamp.on"), want)
			}
		}
		b.change("acme.tool.lamp.on", stored(t, lamp("h1")))
		at(0, false)
		b.change("acme.instance.p1", stored(t, beat(1500*time.Millisecond, "h1")))
		at(1400*time.Millisecond, true)
		b.change("acme.instance.p1", stored(t, beat(1500*time.Millisecond, "h1")))
		at(2800*time.Millisecond, true)
		at(2900*time.Millisecond, false)
		b.change("acme.instance.p1", stored(t, beat(time.Second, "h1")))
		b.change("acme.instance.p2", stored(t, beat(5*time.Second, "h1")))
		at(4*time.Second, true)
		b.change("acme.instance.p2", nil)
		at(4*time.Second, false)
		b.change("acme.instance.p2", stored(t, beat(5*time.Second, "an older definition")))
		at(5*time.Second, false)
		b.change("acme.tool.lamp.on", nil)
		if _, ok := cat.Of("acme").Lookup("lamp.on"); ok {
			t.Error("a definition that was removed is still there")
		}
	})
}

// TestHeartbeatsCostNoCatalogue: what only repeats what is known makes no copy of it.
func TestHeartbeatsCostNoCatalogue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, cat := open(t)
		b.change("acme.tool.lamp.on", stored(t, lamp("h1")))
		b.change("acme.instance.p1", stored(t, beat(time.Minute, "h1")))
		before, _ := cat.Of("acme").Lookup("lamp.on")
		for range 3 {
			b.change("acme.instance.p1", stored(t, beat(time.Minute, "h1")))
		}
		if now, _ := cat.Of("acme").Lookup("lamp.on"); now != before || !now.Enabled {
			t.Error("a heartbeat put the definition into the catalogue again")
		}
		b.change("acme.tool.lamp.on", stored(t, lamp("h2")))
		b.change("acme.instance.p1", stored(t, beat(time.Minute, "h2")))
		if now, _ := cat.Of("acme").Lookup("lamp.on"); now == before || !now.Enabled {
			t.Error("a changed definition did not get into the catalogue")
		}
	})
}

// TestBookLeavesOutWhatIsBroken: what nobody can read stands for nothing, also not for
// what was there before.
func TestBookLeavesOutWhatIsBroken(t *testing.T) {
	t.Parallel()
	for name, change := range map[string][2]string{
		"torn":            {"acme.tool.lamp.on", `{"definition"`},
		"another tool":    {"acme.tool.lamp.on", `{"definition":{"name":"read_file","kind":"remote"},"hash":"h1"}`},
		"another kind":    {"acme.tool.lamp.on", `{"definition":{"name":"lamp.on","kind":"builtin"},"hash":"h1"}`},
		"a torn instance": {"acme.instance.p1", `{"ttl_ms":`},
		"no time":         {"acme.instance.p1", `{"tools":{"lamp.on":"h1"}}`},
		"no end of time":  {"acme.instance.p1", `{"ttl_ms":99999999999,"tools":{"lamp.on":"h1"}}`},
	} {
		b, _ := open(t)
		b.change("acme.tool.lamp.on", stored(t, lamp("h1")))
		b.change("acme.instance.p1", stored(t, beat(time.Minute, "h1")))
		if !b.Runs("acme", "lamp.on") || b.Runs("other", "lamp.on") {
			t.Fatal("the tool does not run, or for another tenant")
		}
		b.change(change[0], []byte(change[1]))
		b.change("acme.nonsense.x", []byte(`{}`))
		if b.Runs("acme", "lamp.on") {
			t.Errorf("%s: the tool runs", name)
		}
	}
}
