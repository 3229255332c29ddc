package remote_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/embedded"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/toolbox/remote"
)

// dispatcher is a registrar on a connection of its own.
func dispatcher(t *testing.T, srv *embedded.Server) (*remote.Registrar, *catalog.Tenants, *natsio.Bucket) {
	t.Helper()
	q, cat := queuetest.Connect(t, srv), catalog.NewTenants(catalog.New())
	bucket, err := q.Conn.Bucket(queuetest.Context(t), streams.BucketRemote)
	if err != nil {
		t.Fatal(err)
	}
	registry, err := remote.Open(t.Context(), bucket, cat, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	return remote.NewRegistrar(registry, []string{"crm"}), cat, bucket
}

func says(name, description string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"name": %q, "description": %q, "required_permissions": ["crm"]}`, name, description))
}

func of(instance string, tools ...json.RawMessage) remote.Registration {
	return remote.Registration{Instance: instance, TTL: time.Minute, Tools: tools}
}

func conflicts(err error) bool {
	e, ok := errors.AsType[*remote.Error](err)
	return ok && e.Kind == remote.Conflict
}

// TestHeartbeatsStoreNoDefinition: what is written again and again is small.
func TestHeartbeatsStoreNoDefinition(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	registrar, cat, _ := dispatcher(t, srv)
	other, _, bucket := dispatcher(t, srv)
	ctx := queuetest.Context(t)
	var mu sync.Mutex
	writes, largest := map[string]int{}, 0
	if err := bucket.Follow(ctx, func(key string, value []byte) {
		mu.Lock()
		defer mu.Unlock()
		if writes[key]++; strings.Contains(key, ".instance.") {
			largest = max(largest, len(value))
		}
	}); err != nil {
		t.Fatal(err)
	}
	in := of("p1", says("lamp.on", strings.Repeat("long ", 1000)))
	for i := range 6 {
		at := registrar
		if i%2 == 1 {
			at = other
			queuetest.Until(t, "the other dispatcher knows", func() bool { return other.Runs("acme", "lamp.on") })
		}
		if _, err := at.Register(ctx, "acme", in); err != nil {
			t.Fatal(err)
		}
		if def, ok := cat.Of("acme", "").Lookup("lamp.on"); !ok || !def.Enabled {
			t.Fatal("a registration that was acknowledged does not hold on its dispatcher")
		}
	}
	if _, err := other.Register(ctx, "acme", of("p2", in.Tools...)); err != nil { // who has the same stores nothing more
		t.Fatal(err)
	}
	if err := bucket.Put(ctx, "the.last.one", nil); err != nil {
		t.Fatal(err)
	}
	queuetest.Until(t, "all was written", func() bool { mu.Lock(); defer mu.Unlock(); return writes["the.last.one"] == 1 })
	mu.Lock()
	defer mu.Unlock()
	if writes["acme.tool.lamp.on"] != 1 || largest > 300 {
		t.Errorf("the definition was written %d times and a heartbeat has %d bytes, want 1 and few", writes["acme.tool.lamp.on"], largest)
	}
}

// late is a store whose news take their time.
type late struct{ *natsio.Bucket }

// Follow implements [remote.Bucket].
func (l late) Follow(ctx context.Context, change func(string, []byte)) error {
	return l.Bucket.Follow(ctx, func(key string, value []byte) {
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
		}
		change(key, value)
	})
}

// TestAcknowledgedHolds: what a dispatcher has acknowledged holds on it.
func TestAcknowledgedHolds(t *testing.T) {
	t.Parallel()
	_, cat, bucket := dispatcher(t, queuetest.Server(t))
	ctx := queuetest.Context(t)
	registry, err := remote.Open(t.Context(), late{bucket}, cat, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	registrar := remote.NewRegistrar(registry, []string{"crm"})
	if _, err := registrar.Register(ctx, "acme", of("p1", says("lamp.on", "d"))); err != nil || !registrar.Runs("acme", "lamp.on") {
		t.Errorf("Register = %v, and the tool runs: %v, want true", err, registrar.Runs("acme", "lamp.on"))
	}
	if was, err := registrar.Unregister(ctx, "acme", "p1"); !was || err != nil || registrar.Runs("acme", "lamp.on") {
		t.Errorf("Unregister = %v, %v, and the tool runs: %v, want false", was, err, registrar.Runs("acme", "lamp.on"))
	}
}

// TestRace: of two definitions of one name, at two dispatchers concurrently, never both are
// let in.
func TestRace(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	var desks [2]*remote.Registrar
	for i := range desks {
		desks[i], _, _ = dispatcher(t, srv)
	}
	ctx := queuetest.Context(t)
	for i := range 30 {
		names := [2]string{fmt.Sprintf("lamp.n%d", i), fmt.Sprintf("lamp.n%d", i)}
		if i%2 == 1 {
			names[1] = fmt.Sprintf("lamp_n%d", i) // what model providers take for the same
		}
		var errs [2]error
		var both sync.WaitGroup
		for j, registrar := range desks {
			both.Go(func() {
				_, errs[j] = registrar.Register(ctx, "acme", of(fmt.Sprintf("p%d-%d", i, j), says(names[j], fmt.Sprint("of ", j))))
			})
		}
		both.Wait()
		for j, err := range errs {
			if err != nil && !conflicts(err) {
				t.Errorf("%s at %d: %v, want it taken or refused for a conflict", names[j], j, err)
			}
		}
		if errs[0] == nil && errs[1] == nil {
			t.Errorf("%s and %s were both taken", names[0], names[1])
		}
		if _, err := desks[0].Register(ctx, "acme", of(fmt.Sprintf("p%d-0", i), says(names[0], "of 0"))); errs[1] == nil != conflicts(err) {
			t.Errorf("%s again: %v, where the other was answered %v", names[0], err, errs[1])
		}
	}
}

// TestAbandonedNames: a name that nobody runs belongs to nobody.
func TestAbandonedNames(t *testing.T) {
	t.Parallel()
	registrar, cat, _ := dispatcher(t, queuetest.Server(t))
	ctx := queuetest.Context(t)
	for i, name := range []string{"lamp.on", "lamp.on", "lamp_on", "lamp.on", "lamp_on"} {
		if _, err := registrar.Register(ctx, "acme", of("p1", says(name, fmt.Sprint(i)), says("horn", fmt.Sprint(i)))); err != nil {
			t.Fatal(err)
		}
		def, ok := cat.Of("acme", "").Lookup(name)
		if !ok || !def.Enabled || def.Description != fmt.Sprint(i) {
			t.Errorf("%s = %+v, want the definition that was registered last", name, def)
		}
	}
	if _, ok := cat.Of("acme", "").Lookup("lamp.on"); ok {
		t.Error("lamp.on is there beside lamp_on")
	}
}

// TestBoundsOfATenant: one tenant fills neither the store nor every process's memory.
func TestBoundsOfATenant(t *testing.T) {
	t.Parallel()
	registrar, _, bucket := dispatcher(t, queuetest.Server(t))
	ctx := t.Context() // it is a great many writes
	for i := range 500 {
		key := fmt.Sprintf("full.instance.p%d", i)
		if err := bucket.PutFor(ctx, key, []byte(`{"ttl_ms":60000,"tools":{}}`), time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := registrar.Register(ctx, "full", of("one_more", says("lamp", "d"))); !conflicts(err) {
		t.Errorf("the 501st instance: %v, want it refused", err)
	}
	if _, err := registrar.Register(ctx, "full", of("p7", says("lamp", "d"))); err != nil {
		t.Errorf("an instance that is there: %v", err)
	}
	batch := func(n int) []json.RawMessage {
		var tools []json.RawMessage
		for i := range 100 {
			tools = append(tools, says(fmt.Sprintf("t%d_%d", n, i), "d"))
		}
		return tools
	}
	for n := range 10 {
		if _, err := registrar.Register(ctx, "acme", of(fmt.Sprint("p", n), batch(n)...)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := registrar.Register(ctx, "acme", of("p10", says("lamp", "d"))); !conflicts(err) {
		t.Errorf("the 1001st tool: %v, want it refused", err)
	}
	if _, err := registrar.Unregister(ctx, "acme", "p3"); err != nil {
		t.Fatal(err)
	}
	if _, err := registrar.Register(ctx, "acme", of("p10", says("lamp", "d"))); err != nil {
		t.Errorf("a tool after others were given up: %v", err)
	}
}
