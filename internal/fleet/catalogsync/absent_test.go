package catalogsync

import (
	"encoding/json"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/tool"
)

// TestDefinitionsWithoutWorkers: a definition that no live worker has is marked at the
// second look, unmarked when one has it again, and removed after a day.
func TestDefinitionsWithoutWorkers(t *testing.T) {
	t.Parallel()
	q, ctx := queuetest.Connect(t, queuetest.Server(t)), queuetest.Context(t)
	defs := []tool.Definition{}
	for name, kind := range map[string]string{
		"here": tool.KindBuiltin, "gone": tool.KindBuiltin, "asked": tool.KindRemote, "written": tool.KindDynamic,
	} {
		defs = append(defs, tool.Definition{Name: name, Pool: "p", Kind: kind, Enabled: true, Parameters: json.RawMessage(`{}`)})
	}
	if err := Register(ctx, q, defs); err != nil {
		t.Fatal(err)
	}
	live := fleet.New()
	sweeper, err := NewSweeper(ctx, q, live, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	bucket, err := q.Conn.Bucket(ctx, streams.BucketCatalog)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	look := func(after time.Duration) {
		t.Helper()
		if err := sweeper.Look(ctx, start.Add(after)); err != nil {
			t.Fatal(err)
		}
	}
	stored := func(name string) string {
		t.Helper()
		value, err := bucket.Get(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		return string(value)
	}
	original := stored("gone")
	with := func(names ...string) fleet.Live {
		defs := make([]tool.Definition, len(names))
		for i, name := range names {
			defs[i] = tool.Definition{Name: name}
		}
		kind, err := fleet.NewKind(defs)
		if err != nil {
			t.Fatal(err)
		}
		return fleet.Live{"p": {{ID: "w1", Workspace: "A", Kind: kind.Hash, Tools: kind}}}
	}
	live.Set(with("here"))
	look(0)
	if stored("gone") != original {
		t.Error("one look marked a definition: it may have come in the middle of a restart")
	}
	look(time.Minute)
	var def markedDefinition
	if err := json.Unmarshal([]byte(stored("gone")), &def); err != nil || def.AbsentSince == nil {
		t.Fatalf("the definition that no worker has is not marked: %s, %v", stored("gone"), err)
	}
	live.Set(with("here", "gone"))
	look(2 * time.Minute)
	if stored("gone") != original {
		t.Errorf("the definition of a worker that is back is %s, want %s", stored("gone"), original)
	}
	live.Set(with("here"))
	look(3 * time.Minute)
	look(4 * time.Minute)
	// Since when is stored, so another dispatcher goes on where this one ended.
	if sweeper, err = NewSweeper(ctx, q, live, zap.NewNop()); err != nil {
		t.Fatal(err)
	}
	look(absentKept)
	look(absentKept + 3*time.Minute)
	if stored("gone") == "" {
		t.Error("the definition was removed before its day was over")
	}
	look(absentKept + 5*time.Minute)
	for name, want := range map[string]bool{"here": true, "gone": false, "asked": true, "written": true} {
		if is := stored(name) != ""; is != want {
			t.Errorf("%s is in the catalogue: %v, want %v", name, is, want)
		}
	}
}

// TestMarkedDefinitionIsRegisteredAgain: a definition that was registered again is not removed.
func TestMarkedDefinitionIsRegisteredAgain(t *testing.T) {
	t.Parallel()
	q, ctx := queuetest.Connect(t, queuetest.Server(t)), queuetest.Context(t)
	def := tool.Definition{Name: "gone", Pool: "p", Kind: tool.KindBuiltin, Enabled: true, Parameters: json.RawMessage(`{}`)}
	if err := Register(ctx, q, []tool.Definition{def}); err != nil {
		t.Fatal(err)
	}
	bucket, err := q.Conn.Bucket(ctx, streams.BucketCatalog)
	if err != nil {
		t.Fatal(err)
	}
	original, err := bucket.Get(ctx, "gone")
	if err != nil {
		t.Fatal(err)
	}
	marked := mark(original, time.Now())
	if err := bucket.Put(ctx, "gone", marked); err != nil {
		t.Fatal(err)
	}
	if err := Register(ctx, q, []tool.Definition{def}); err != nil {
		t.Fatal(err)
	}
	if removed, err := bucket.DeleteIf(ctx, "gone", marked); removed || err != nil {
		t.Errorf("DeleteIf of what was registered since = %v, %v", removed, err)
	}
	if now, err := bucket.Get(ctx, "gone"); err != nil || string(now) != string(original) {
		t.Errorf("the definition is %s, %v", now, err)
	}
}
