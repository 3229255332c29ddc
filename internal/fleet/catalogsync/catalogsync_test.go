package catalogsync_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/helve-dev/helve/internal/bus/embedded"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/fleet/catalogsync"
	"github.com/helve-dev/helve/tool"
)

func TestMain(m *testing.M) { queuetest.Verify(m) }

func definition(name string) tool.Definition {
	return tool.Definition{
		Name: name, Description: "Does " + name + ".", Category: "test", Group: "core", Version: "1.0.0",
		Parameters: json.RawMessage(`{"type":"object"}`), Risk: tool.Low, Confirmation: tool.ConfirmNever,
		TimeoutSeconds: 1, Pool: "default", Kind: tool.KindBuiltin, Enabled: true,
	}
}

// writes returns a function that returns the number of writes to the catalogue.
func writes(t *testing.T, srv *embedded.Server) func() uint64 {
	t.Helper()
	nc, err := nats.Connect(srv.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return func() uint64 {
		t.Helper()
		s, err := js.Stream(queuetest.Context(t), "KV_"+streams.BucketCatalog)
		if err != nil {
			t.Fatal(err)
		}
		return s.CachedInfo().State.LastSeq
	}
}

func TestRegisterWritesOnlyWhatIsNewOrChanged(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	one, two := queuetest.Connect(t, srv), queuetest.Connect(t, srv)
	written := writes(t, srv)
	defs := []tool.Definition{definition("echo"), definition("files.read"), definition("time")}
	register := func(q *queue.Queue, want uint64, why string) {
		t.Helper()
		before := written()
		if err := catalogsync.Register(queuetest.Context(t), q, defs); err != nil {
			t.Fatal(err)
		}
		if got := written() - before; got != want {
			t.Errorf("%s: %d definitions were written, want %d", why, got, want)
		}
	}
	register(one, 3, "an empty catalogue")
	register(one, 0, "the same worker again")
	register(two, 0, "another worker of the kind")
	defs[1].Description = "Reads better."
	register(two, 1, "one has changed")
	defs = append(defs, definition("sum"))
	register(one, 1, "one is new")
	defs = defs[:1]
	register(one, 0, "fewer tools: the others stay, their calls queue")
}

func TestRegisterRefusesWhatDoesNotEncode(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	bad := definition("bad")
	bad.Parameters = json.RawMessage(`{`)
	if err := catalogsync.Register(queuetest.Context(t), q, []tool.Definition{bad}); err == nil {
		t.Error("Register of a broken schema succeeded, want an error")
	}
	unprepared := queuetest.Open(t, queuetest.Server(t))
	if err := catalogsync.Register(queuetest.Context(t), unprepared, nil); err == nil {
		t.Error("Register without a bucket succeeded, want an error")
	}
}

func names(cat *catalog.Catalog) []string {
	list := []string{}
	for _, def := range cat.All() {
		list = append(list, def.Name)
	}
	return list
}

func TestFollowToolsSeesChanges(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	worker, dispatcher := queuetest.Connect(t, srv), queuetest.Connect(t, srv)
	ctx, cat := queuetest.Context(t), catalog.New()
	if err := catalogsync.Register(ctx, worker, []tool.Definition{definition("echo"), definition("files.read")}); err != nil {
		t.Fatal(err)
	}
	if err := catalogsync.FollowTools(ctx, dispatcher, cat, zap.NewNop()); err != nil {
		t.Fatal(err)
	}
	if got, want := names(cat), []string{"echo", "files.read"}; !slices.Equal(got, want) {
		t.Errorf("catalogue when FollowTools returns = %q, want %q", got, want)
	}
	until := func(what string, ok func() bool) { t.Helper(); queuetest.Until(t, what, ok) }

	changed := definition("echo")
	changed.Description = "Echoes louder."
	if err := catalogsync.Register(ctx, worker, []tool.Definition{changed, definition("sum")}); err != nil {
		t.Fatal(err)
	}
	until("the new tool is there", func() bool { _, ok := cat.Lookup("sum"); return ok })
	until("echo has its changed definition", func() bool { // both are written concurrently
		def, ok := cat.Lookup("echo")
		return ok && def.Description == "Echoes louder."
	})
	tools, err := worker.Conn.Bucket(ctx, streams.BucketCatalog)
	if err != nil {
		t.Fatal(err)
	}
	if err := tools.Delete(ctx, "echo"); err != nil {
		t.Fatal(err)
	}
	until("the removed tool is gone", func() bool { _, ok := cat.Lookup("echo"); return !ok })
	if got, want := names(cat), []string{"files.read", "sum"}; !slices.Equal(got, want) {
		t.Errorf("catalogue = %q, want %q", got, want)
	}
}

func TestFollowToolsLeavesOutWhatIsBroken(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	ctx, cat := queuetest.Context(t), catalog.New()
	core, logged := observer.New(zapcore.WarnLevel)
	tools, err := q.Conn.Bucket(ctx, streams.BucketCatalog)
	if err != nil {
		t.Fatal(err)
	}
	alias := definition("z_alias")
	alias.Aliases = []string{"echo"}
	for key, value := range map[string]any{
		"not_json":      "a string",
		"bad-name":      definition("bad-name"),
		"another_key":   definition("somebody_else"),
		"echo":          definition("echo"),
		"old_and_empty": nil,
	} {
		data, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if err := tools.Put(ctx, key, data); err != nil {
			t.Fatal(err)
		}
	}
	if err := tools.Put(ctx, "torn", []byte(`{"name":"torn"`)); err != nil {
		t.Fatal(err)
	}
	if err := catalogsync.Register(ctx, q, []tool.Definition{alias}); err != nil {
		t.Fatal(err)
	}
	if err := catalogsync.FollowTools(ctx, q, cat, zap.New(core)); err != nil {
		t.Fatal(err)
	}
	if got, want := names(cat), []string{"echo"}; !slices.Equal(got, want) {
		t.Errorf("catalogue = %q, want %q", got, want)
	}
	var complained []string
	for _, entry := range logged.All() {
		complained = append(complained, entry.ContextMap()["tool"].(string))
	}
	slices.Sort(complained)
	want := []string{"another_key", "bad-name", "not_json", "old_and_empty", "torn", "z_alias"}
	if !slices.Equal(complained, want) {
		t.Errorf("logged %q, want %q", complained, want)
	}
}
