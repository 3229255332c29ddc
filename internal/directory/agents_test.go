package directory_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/bus/bustest"
	"github.com/helve-dev/helve/internal/catalog"
	"github.com/helve-dev/helve/internal/directory"
	"github.com/helve-dev/helve/internal/embedded"
)

// process is one that follows agents and has a store over them.
func process(t *testing.T, srv *embedded.Server) (*directory.AgentStore, *catalog.Agents) {
	t.Helper()
	b, agents := bustest.Connect(t, srv), &catalog.Agents{}
	if err := directory.FollowAgents(bustest.Context(t), b, agents, zap.NewNop()); err != nil {
		t.Fatal(err)
	}
	store, err := directory.NewAgentStore(bustest.Context(t), b, agents)
	if err != nil {
		t.Fatal(err)
	}
	return store, agents
}

func record(name string, tools ...string) catalog.Agent {
	return catalog.Agent{Name: name, AgentRules: catalog.AgentRules{Tools: tools, Groups: []string{}, Deny: []string{}}}
}

func TestAgentStoreReadsItsOwnWrites(t *testing.T) {
	t.Parallel()
	store, agents := process(t, bustest.Server(t))
	ctx := bustest.Context(t)
	if _, ok, err := store.Get(ctx, "acme", "bot"); ok || err != nil {
		t.Errorf("Get of nobody = %v, %v, want false, nil", ok, err)
	}
	for _, name := range []string{"bot", "ann"} {
		want := record(name, "echo", "files.*")
		if err := store.Put(ctx, "acme", want); err != nil {
			t.Fatal(err)
		}
		if agents.Rules("acme", name) == nil {
			t.Errorf("the record of %s does not hold for this process's calls right after Put", name)
		}
		got, ok, err := store.Get(ctx, "acme", name)
		if err != nil || !ok {
			t.Fatalf("Get right after Put = %v, %v, want the record", ok, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("record (-want +got):\n%s", diff)
		}
	}
	list, err := store.List(ctx, "acme")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]catalog.Agent{record("ann", "echo", "files.*"), record("bot", "echo", "files.*")}, list); diff != "" {
		t.Errorf("List (-want +got):\n%s", diff)
	}
	if list, err := store.List(ctx, "other"); len(list) != 0 || err != nil {
		t.Errorf("another tenant's List = %v, %v, want none", list, err)
	}
}

func TestAgentStoreIsSeenByOtherProcesses(t *testing.T) {
	t.Parallel()
	srv := bustest.Server(t)
	writes, _ := process(t, srv)
	store, agents := process(t, srv)
	ctx := bustest.Context(t)
	if err := writes.Put(ctx, "acme", record("bot", "echo")); err != nil {
		t.Fatal(err)
	}
	bustest.Until(t, "the record is seen", func() bool { return agents.Rules("acme", "bot") != nil })
	if diff := cmp.Diff(record("bot", "echo").AgentRules, *agents.Rules("acme", "bot")); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
	// One that starts later sees it when FollowAgents returns.
	if _, late := process(t, srv); late.Rules("acme", "bot") == nil {
		t.Error("a late process does not see the record")
	}

	had, err := store.Delete(ctx, "acme", "bot")
	if !had || err != nil {
		t.Errorf("Delete = %v, %v, want true, nil", had, err)
	}
	if agents.Rules("acme", "bot") != nil {
		t.Error("the record still holds for this process's calls right after Delete")
	}
	if _, ok, _ := store.Get(ctx, "acme", "bot"); ok {
		t.Error("Get right after Delete finds the record")
	}
	if had, err := store.Delete(ctx, "acme", "bot"); had || err != nil {
		t.Errorf("second Delete = %v, %v, want false, nil", had, err)
	}
	bustest.Until(t, "the deletion is seen", func() bool {
		_, ok, err := writes.Get(ctx, "acme", "bot")
		return !ok && err == nil
	})
}

// TestUnreadableRecordDeniesAll: the default set would be more than whoever
// wrote the record meant to give.
func TestUnreadableRecordDeniesAll(t *testing.T) {
	t.Parallel()
	b := bustest.Connect(t, bustest.Server(t))
	ctx := bustest.Context(t)
	bucket, err := b.Bucket(ctx, bus.BucketAgents)
	if err != nil {
		t.Fatal(err)
	}
	broken := map[string]string{"torn": `{"tools":["*"]`, "empty": "", "typed": `{"tools":"*"}`, "half": `{"tools":["*"],"deny":7}`}
	for name, value := range broken {
		if err := bucket.Put(ctx, "acme."+name, []byte(value)); err != nil {
			t.Fatal(err)
		}
	}
	core, logged := observer.New(zapcore.WarnLevel)
	agents, cat := &catalog.Agents{}, catalog.New()
	view := catalog.NewTenants(cat).Of("acme")
	if err := cat.Put(definition("echo")); err != nil {
		t.Fatal(err)
	}
	if err := directory.FollowAgents(ctx, b, agents, zap.New(core)); err != nil {
		t.Fatal(err)
	}
	echo, _ := cat.Lookup("echo")
	for name := range broken {
		if view.Allows(agents.Rules("acme", name), name, echo) {
			t.Errorf("agent %s may use echo by an unreadable record", name)
		}
	}
	if !view.Allows(agents.Rules("acme", "nobody"), "nobody", echo) {
		t.Error("an agent without a record may not use echo, want the default set")
	}
	if logged.Len() != len(broken) {
		t.Errorf("%d records were logged, want %d", logged.Len(), len(broken))
	}
}

func TestAgentStoreFailsClearlyWithoutABucket(t *testing.T) {
	t.Parallel()
	b := bustest.Open(t, bustest.Server(t))
	if _, err := directory.NewAgentStore(bustest.Context(t), b, &catalog.Agents{}); err == nil {
		t.Error("NewAgentStore without a bucket succeeded, want an error")
	}
	if err := directory.FollowAgents(bustest.Context(t), b, &catalog.Agents{}, zap.NewNop()); err == nil {
		t.Error("FollowAgents without a bucket succeeded, want an error")
	}
}
