package catalogsync_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/helve-dev/helve/internal/bus/embedded"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/fleet/catalogsync"
	"github.com/helve-dev/helve/protocol"
)

// process is a dispatcher's store over agents that it follows.
func process(t *testing.T, srv *embedded.Server) (*catalogsync.AgentStore, *catalog.Agents) {
	t.Helper()
	q, agents := queuetest.Connect(t, srv), &catalog.Agents{}
	if err := catalogsync.FollowAgents(queuetest.Context(t), q, agents, zap.NewNop()); err != nil {
		t.Fatal(err)
	}
	store, err := catalogsync.NewAgentStore(queuetest.Context(t), q, agents)
	if err != nil {
		t.Fatal(err)
	}
	return store, agents
}

func record(name string, tools ...string) protocol.Agent {
	return protocol.Agent{Name: name, Tools: tools, Groups: []string{}, Deny: []string{}}
}

func TestAgentStoreReadsItsOwnWrites(t *testing.T) {
	t.Parallel()
	store, agents := process(t, queuetest.Server(t))
	ctx := queuetest.Context(t)
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
	if diff := cmp.Diff([]protocol.Agent{record("ann", "echo", "files.*"), record("bot", "echo", "files.*")}, list); diff != "" {
		t.Errorf("List (-want +got):\n%s", diff)
	}
	if list, err := store.List(ctx, "other"); len(list) != 0 || err != nil {
		t.Errorf("another tenant's List = %v, %v, want none", list, err)
	}
}

func TestAgentStoreIsSeenByOtherProcesses(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	writes, _ := process(t, srv)
	store, agents := process(t, srv)
	ctx := queuetest.Context(t)
	if err := writes.Put(ctx, "acme", record("bot", "echo")); err != nil {
		t.Fatal(err)
	}
	queuetest.Until(t, "the record is seen", func() bool { return agents.Rules("acme", "bot") != nil })
	if diff := cmp.Diff(record("bot", "echo").Rules(), *agents.Rules("acme", "bot")); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
	// A process that starts later sees it when FollowAgents returns.
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
	queuetest.Until(t, "the deletion is seen", func() bool {
		_, ok, err := writes.Get(ctx, "acme", "bot")
		return !ok && err == nil
	})
}

// TestUnreadableRecordDeniesAll: the default set could be more than the
// author of the record meant to allow.
func TestUnreadableRecordDeniesAll(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	ctx := queuetest.Context(t)
	bucket, err := q.Conn.Bucket(ctx, streams.BucketAgents)
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
	view := catalog.NewTenants(cat).Of("acme", "")
	if err := cat.Put(definition("echo")); err != nil {
		t.Fatal(err)
	}
	if err := catalogsync.FollowAgents(ctx, q, agents, zap.New(core)); err != nil {
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
	q := queuetest.Open(t, queuetest.Server(t))
	if _, err := catalogsync.NewAgentStore(queuetest.Context(t), q, &catalog.Agents{}); err == nil {
		t.Error("NewAgentStore without a bucket succeeded, want an error")
	}
	if err := catalogsync.FollowAgents(queuetest.Context(t), q, &catalog.Agents{}, zap.NewNop()); err == nil {
		t.Error("FollowAgents without a bucket succeeded, want an error")
	}
}

// TestReadAgent reads the record that is stored, which a follower may not have yet.
func TestReadAgent(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	store, _ := process(t, srv)
	other, ctx := queuetest.Connect(t, srv), queuetest.Context(t)
	if rules, err := catalogsync.ReadAgent(ctx, other, "acme", "bot"); rules != nil || err != nil {
		t.Errorf("no record is read as %v, %v, want nil", rules, err)
	}
	if err := store.Put(ctx, "acme", record("bot", "echo")); err != nil {
		t.Fatal(err)
	}
	rules, err := catalogsync.ReadAgent(ctx, other, "acme", "bot")
	if err != nil || rules == nil || !cmp.Equal(rules.Tools, []string{"echo"}) {
		t.Errorf("the record is read as %v, %v, want the tool echo", rules, err)
	}
	if _, err := store.Delete(ctx, "acme", "bot"); err != nil {
		t.Fatal(err)
	}
	if rules, err := catalogsync.ReadAgent(ctx, other, "acme", "bot"); rules != nil || err != nil {
		t.Errorf("a deleted record is read as %v, %v, want nil", rules, err)
	}
}
