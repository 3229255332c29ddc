package directory_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/bus/bustest"
	"github.com/helve-dev/helve/internal/catalog"
	"github.com/helve-dev/helve/internal/directory"
	"github.com/helve-dev/helve/tool"
)

func TestFollowCustom(t *testing.T) {
	t.Parallel()
	b := bustest.Connect(t, bustest.Server(t))
	ctx, cat := bustest.Context(t), catalog.NewTenants(catalog.New())
	tools, err := b.Bucket(ctx, bus.BucketCustom)
	if err != nil {
		t.Fatal(err)
	}
	put := func(key string, def tool.Definition) {
		t.Helper()
		value, err := json.Marshal(map[string]any{"definition": def, "tool": map[string]string{"code": "return 1"}})
		if err == nil {
			err = tools.Put(ctx, key, value)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	put("acme.adder", definition("adder"))
	put("acme.other_name", definition("somebody_else"))
	if err := directory.FollowCustom(ctx, b, cat, zap.NewNop()); err != nil {
		t.Fatal(err)
	}
	if _, ok := cat.Of("acme").Lookup("adder"); !ok {
		t.Error("the tool that was there is not known")
	}
	for tenant, name := range map[string]string{"other": "adder", "acme": "somebody_else"} {
		if _, ok := cat.Of(tenant).Lookup(name); ok {
			t.Errorf("%s sees %s", tenant, name)
		}
	}
	put("other.adder", definition("adder"))
	bustest.Until(t, "another tenant's tool is known", func() bool { _, ok := cat.Of("other").Lookup("adder"); return ok })
	if err := tools.Delete(ctx, "acme.adder"); err != nil {
		t.Fatal(err)
	}
	bustest.Until(t, "the removed tool is gone", func() bool { _, ok := cat.Of("acme").Lookup("adder"); return !ok })
}

func TestLoadErrorsAreReported(t *testing.T) {
	t.Parallel()
	srv := bustest.Server(t)
	worker, dispatcher := bustest.Connect(t, srv), bustest.Connect(t, srv)
	ctx, cat := bustest.Context(t), catalog.NewTenants(catalog.New())
	reporter, err := directory.NewReporter(ctx, worker, "w1", zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	reporter.Report(ctx, nil)
	if err := directory.FollowLoadErrors(ctx, dispatcher, cat, zap.NewNop()); err != nil {
		t.Fatal(err)
	}
	reporter.Report(ctx, []catalog.LoadError{{File: "a.json", Reason: "not JSON"}})
	bustest.Until(t, "the error is known", func() bool { l := cat.LoadErrors(); return len(l) == 1 && l[0].File == "a.json" })
	late := catalog.NewTenants(catalog.New())
	if err := directory.FollowLoadErrors(ctx, worker, late, zap.NewNop()); err != nil {
		t.Fatal(err)
	}
	if len(late.LoadErrors()) != 1 {
		t.Errorf("who comes late knows %v, want the error", late.LoadErrors())
	}
	reporter.Report(ctx, nil)
	bustest.Until(t, "the error is gone", func() bool { return len(cat.LoadErrors()) == 0 })
}

func TestUnregister(t *testing.T) {
	t.Parallel()
	b := bustest.Connect(t, bustest.Server(t))
	ctx, cat := bustest.Context(t), catalog.New()
	js := func(name, pool string) tool.Definition {
		def := definition(name)
		def.Kind, def.Pool, def.TimeoutSeconds = tool.KindJS, pool, time.Second.Seconds()
		return def
	}
	gone, changed := js("gone", "default"), js("changed", "default")
	if err := directory.Register(ctx, b, []tool.Definition{gone, changed, js("old", "default"), js("elsewhere", "gpu"), definition("echo")}); err != nil {
		t.Fatal(err)
	}
	theirs := changed
	theirs.Description = "Somebody else's."
	if err := directory.Register(ctx, b, []tool.Definition{theirs}); err != nil {
		t.Fatal(err)
	}
	if err := directory.Unregister(ctx, b, []tool.Definition{gone, changed, js("never", "default")}); err != nil {
		t.Fatal(err)
	}
	if err := directory.Prune(ctx, b, []string{"default"}, func(def *tool.Definition) bool { return def.Kind == tool.KindJS && def.Name != theirs.Name }); err != nil {
		t.Fatal(err)
	}
	if err := directory.FollowTools(ctx, b, cat, zap.NewNop()); err != nil {
		t.Fatal(err)
	}
	if got, want := names(cat), []string{"changed", "echo", "elsewhere"}; !slices.Equal(got, want) {
		t.Errorf("registered are %q, want %q", got, want)
	}
}
