package calls

import (
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/internal/test/testtime"
)

func TestStreams(t *testing.T) {
	t.Parallel()
	calls := shared.StreamConfig(t, "HELVE_CALLS")
	if calls.Retention != jetstream.WorkQueuePolicy || calls.Storage != jetstream.FileStorage || calls.Discard != jetstream.DiscardNew ||
		!cmp.Equal(calls.Subjects, []string{"helve.v1.*.call.>"}) {
		t.Errorf("HELVE_CALLS = %+v, want a work queue in files that refuses when full", calls)
	}
	// Once-only streams must not be overwritten, deleted from or purged, except for results
	// whose records are on the trail.
	for name, subjects := range map[string][]string{
		"HELVE_RESULTS": {"helve.v1.*.result.*.*.*"}, "HELVE_ONCE": {"helve.v1.*.once.*.*"},
	} {
		c := shared.StreamConfig(t, name)
		purged := name == "HELVE_RESULTS"
		if !c.DenyDelete || c.DenyPurge == purged || c.AllowRollup || c.AllowMsgTTL || c.MaxMsgsPerSubject != 1 || !c.DiscardNewPerSubject ||
			c.Discard != jetstream.DiscardNew || c.Storage != jetstream.FileStorage || !cmp.Equal(c.Subjects, subjects) {
			t.Errorf("%s = %+v, want one message a subject, for good", name, c)
		}
		stream := shared.Stream(t, name)
		if !purged && stream.Purge(t.Context()) == nil {
			t.Errorf("%s can be purged", name)
		}
		if info, err := stream.Info(t.Context()); err != nil ||
			info.State.LastSeq > 0 && stream.DeleteMsg(t.Context(), info.State.LastSeq) == nil {
			t.Errorf("a message of %s can be deleted (%v)", name, err)
		}
	}
	const kept = time.Hour // for results that are on the trail
	if once := shared.StreamConfig(t, "HELVE_ONCE").MaxAge; once < calls.MaxAge+kept {
		t.Errorf("once-only records live %v, want longer than a call (%v) and its result (%v)", once, calls.MaxAge, kept)
	}
}

// TestResultCannotBeReplaced: the first result of a call stays, whatever is published
// later.
func TestResultCannotBeReplaced(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	system.WantResult(t, system.One(t, shared.HTTP(0), tenant, `{"call_id": "c1", "tool": "debug.echo", "arguments": {"value": 1}}`), "1")
	msg, err := shared.Stream(t, "HELVE_RESULTS").GetLastMsgForSubject(t.Context(), "helve.v1."+tenant+".result.*.*.c1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := shared.Conn.Request(msg.Subject, []byte(`{"call_id": "c1", "status": "success", "result": 2}`),
		testtime.Patience()); err != nil {
		t.Fatal(err)
	}
	system.WantResult(t, system.ByID(t, shared.HTTP(1), "calls.get", tenant, "c1"), "1")
	system.WantResult(t, system.One(t, shared.NATS(), tenant, `{"call_id": "c1", "tool": "debug.echo", "arguments": {"value": 1}}`), "1")
}

// TestStartAgainChangesNothing: processes that start later leave the streams and their
// content unchanged.
func TestStartAgainChangesNothing(t *testing.T) {
	t.Parallel()
	url := system.PlainServer(t, nil).ClientURL()
	first := system.Launch(t, system.Plan{URL: url})
	system.WantResult(t, system.One(t, first.HTTP(0), "default", `{"call_id": "c1", "tool": "debug.effect", "arguments": {"key": "k"}}`),
		`{"written":true}`)
	system.PutAgent(t, first.HTTP(0), "default", "a1", `{"tools": ["read_file"]}`)
	names := []string{
		"HELVE_CALLS", "HELVE_RESULTS", "HELVE_ONCE", "HELVE_DEAD", "KV_helve_agents", "KV_helve_catalog", "OBJ_HELVE_RESULTS", "OBJ_HELVE_CALLS",
	}
	before := map[string]jetstream.StreamConfig{}
	for _, name := range names {
		before[name] = first.StreamConfig(t, name)
	}
	second := system.Launch(t, system.Plan{URL: url})
	for _, name := range names {
		if diff := cmp.Diff(before[name], second.StreamConfig(t, name)); diff != "" {
			t.Errorf("the second start changed %s:\n%s", name, diff)
		}
	}
	system.WantResult(t, system.One(t, second.HTTP(0), "default", `{"call_id": "c1", "tool": "debug.effect", "arguments": {"key": "k"}}`),
		`{"written":true}`)
	first.WantLedger(t, "default", "k c1")
	second.WantLedger(t, "default")
	system.WantError(t, system.ExecuteAsAgent(t, second.HTTP(0), "default", "a1", "debug.echo"), "tool_not_available", "debug.echo")
}

// TestStartAtOnce: processes that start concurrently on an empty server set it up together.
func TestStartAtOnce(t *testing.T) {
	t.Parallel()
	url := system.PlainServer(t, nil).ClientURL()
	systems := make([]*system.System, 4)
	errs := make([]error, len(systems))
	dirs := make([]string, len(systems))
	for i := range dirs {
		dirs[i] = t.TempDir()
	}
	var all sync.WaitGroup
	for i := range systems {
		all.Go(func() { systems[i], errs[i] = system.Start(dirs[i], system.Plan{URL: url}) })
	}
	system.Await(t, "every system has started", all.Wait)
	for i, s := range systems {
		if errs[i] != nil {
			t.Errorf("start %d: %v", i, errs[i])
		} else {
			system.WantResult(t, system.One(t, s.HTTP(0), "default", system.EchoCall("1")), "1")
		}
	}
	for i, s := range systems {
		if err := s.Stop(); err != nil {
			t.Errorf("stop %d: %v", i, err)
		}
	}
}
