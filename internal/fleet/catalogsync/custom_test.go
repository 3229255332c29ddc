package catalogsync_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/fleet/catalogsync"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// TestFollowCustom: a person's own tool is theirs, a shared one everybody's of the
// tenant; what is no tool of a person or a tenant is left out.
func TestFollowCustom(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	ctx, cat := queuetest.Context(t), catalog.NewTenants(catalog.New())
	tools, err := q.Conn.Bucket(ctx, streams.BucketCustom)
	if err != nil {
		t.Fatal(err)
	}
	put := func(key, name, maker string) {
		t.Helper()
		value, err := json.Marshal(map[string]any{
			"definition": definition(name), "tool": map[string]string{"name": name, "code": "return 1", "created_by": maker, "owner": maker},
		})
		if err == nil {
			err = tools.Put(ctx, key, value)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	put("acme.own.ann.adder", "adder", "ann")
	put("acme.nobodys", "nobodys", "")
	put("acme.own.ann.other_name", "somebody_else", "ann")
	put("acme.shared.common", "common", "ann")
	if err := catalogsync.FollowCustom(ctx, q, cat, zap.NewNop()); err != nil {
		t.Fatal(err)
	}
	sees := func(tenant, user string, want ...string) {
		t.Helper()
		got := []string{}
		for _, def := range cat.Of(tenant, user).All() {
			got = append(got, def.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s of %s sees %q, want %q", user, tenant, got, want)
		}
	}
	sees("acme", "ann", "adder", "common")
	sees("acme", "bob", "common")
	sees("acme", "", "common")
	sees("other", "ann")
	put("acme.own.bob.common", "common", "bob")
	put("other.own.ann.adder", "adder", "ann")
	queuetest.Until(t, "another tenant's tool is known", func() bool { _, ok := cat.Of("other", "ann").Lookup("adder"); return ok })
	sees("acme", "bob", "common")
	for _, key := range []string{"acme.own.ann.adder", "acme.own.bob.common", "acme.shared.common"} {
		if err := tools.Delete(ctx, key); err != nil {
			t.Fatal(err)
		}
	}
	queuetest.Until(t, "the shared tool is gone", func() bool { _, ok := cat.Of("acme", "").Lookup("common"); return !ok })
	sees("acme", "ann")
	sees("acme", "bob")
}

func TestLoadErrorsAreReported(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	worker, dispatcher := queuetest.Connect(t, srv), queuetest.Connect(t, srv)
	ctx, cat := queuetest.Context(t), catalog.NewTenants(catalog.New())
	reporter, err := catalogsync.NewReporter(ctx, worker, "w1", zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	reporter.Report(ctx, nil)
	if err := catalogsync.FollowLoadErrors(ctx, dispatcher, cat, zap.NewNop()); err != nil {
		t.Fatal(err)
	}
	reporter.Report(ctx, []protocol.LoadError{{File: "a.json", Reason: "not JSON"}})
	queuetest.Until(t, "the error is known", func() bool { l := cat.LoadErrors(); return len(l) == 1 && l[0].File == "a.json" })
	late := catalog.NewTenants(catalog.New())
	if err := catalogsync.FollowLoadErrors(ctx, worker, late, zap.NewNop()); err != nil {
		t.Fatal(err)
	}
	if len(late.LoadErrors()) != 1 {
		t.Errorf("who comes late knows %v, want the error", late.LoadErrors())
	}
	reporter.Report(ctx, nil)
	queuetest.Until(t, "the error is gone", func() bool { return len(cat.LoadErrors()) == 0 })
}

func TestUnregister(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	ctx, cat := queuetest.Context(t), catalog.New()
	js := func(name, pool string) tool.Definition {
		def := definition(name)
		def.Kind, def.Pool, def.TimeoutSeconds = tool.KindJS, pool, time.Second.Seconds()
		return def
	}
	gone, changed := js("gone", "default"), js("changed", "default")
	if err := catalogsync.Register(ctx, q, []tool.Definition{
		gone, changed, js("old", "default"), js("elsewhere", "gpu"), definition("echo"),
	}); err != nil {
		t.Fatal(err)
	}
	theirs := changed
	theirs.Description = "Somebody else's."
	if err := catalogsync.Register(ctx, q, []tool.Definition{theirs}); err != nil {
		t.Fatal(err)
	}
	if err := catalogsync.Unregister(ctx, q, []tool.Definition{gone, changed, js("never", "default")}); err != nil {
		t.Fatal(err)
	}
	if err := catalogsync.Prune(ctx, q, []string{"default"}, func(def *tool.Definition) bool {
		return def.Kind == tool.KindJS && def.Name != theirs.Name
	}); err != nil {
		t.Fatal(err)
	}
	if err := catalogsync.FollowTools(ctx, q, cat, zap.NewNop()); err != nil {
		t.Fatal(err)
	}
	if got, want := names(cat), []string{"changed", "echo", "elsewhere"}; !slices.Equal(got, want) {
		t.Errorf("registered are %q, want %q", got, want)
	}
}
