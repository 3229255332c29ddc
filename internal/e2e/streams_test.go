package e2e

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go/jetstream"
)

func (s *system) streamConfig(t testing.TB, name string) jetstream.StreamConfig {
	t.Helper()
	return s.stream(t, name).CachedInfo().Config
}

func TestStreams(t *testing.T) {
	t.Parallel()
	calls := shared.streamConfig(t, "HELVE_CALLS")
	if calls.Retention != jetstream.WorkQueuePolicy || calls.Storage != jetstream.FileStorage || calls.Discard != jetstream.DiscardNew ||
		!cmp.Equal(calls.Subjects, []string{"helve.v1.*.call.>"}) {
		t.Errorf("HELVE_CALLS = %+v, want a work queue in files that refuses when full", calls)
	}
	// What says once must not be overwritten, deleted or purged by anybody.
	for name, subject := range map[string]string{"HELVE_RESULTS": "helve.v1.*.result.*.*", "HELVE_ONCE": "helve.v1.*.once.*.*"} {
		c := shared.streamConfig(t, name)
		if !c.DenyDelete || !c.DenyPurge || c.AllowRollup || c.AllowMsgTTL || c.MaxMsgsPerSubject != 1 || !c.DiscardNewPerSubject ||
			c.Discard != jetstream.DiscardNew || c.Storage != jetstream.FileStorage || !cmp.Equal(c.Subjects, []string{subject}) {
			t.Errorf("%s = %+v, want one message a subject, for good", name, c)
		}
		stream := shared.stream(t, name)
		if err := stream.Purge(t.Context()); err == nil {
			t.Errorf("%s can be purged", name)
		}
		if info, err := stream.Info(t.Context()); err != nil || info.State.LastSeq > 0 && stream.DeleteMsg(t.Context(), info.State.LastSeq) == nil {
			t.Errorf("a message of %s can be deleted (%v)", name, err)
		}
	}
	if once, results := shared.streamConfig(t, "HELVE_ONCE").MaxAge, shared.streamConfig(t, "HELVE_RESULTS").MaxAge; once < calls.MaxAge+results {
		t.Errorf("once-only records live %v, want longer than a call (%v) and its result (%v)", once, calls.MaxAge, results)
	}
}

// TestResultCannotBeReplaced: the first result of a call stays, whatever is
// published later.
func TestResultCannotBeReplaced(t *testing.T) {
	t.Parallel()
	tenant := newTenant()
	wantResult(t, one(t, shared.http(0), tenant, `{"call_id": "c1", "tool": "debug.echo", "arguments": {"value": 1}}`), "1")
	msg, err := shared.stream(t, "HELVE_RESULTS").GetLastMsgForSubject(t.Context(), "helve.v1."+tenant+".result.*.c1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := shared.nc.Request(msg.Subject, []byte(`{"call_id": "c1", "status": "success", "result": 2}`), patience); err != nil {
		t.Fatal(err)
	}
	wantResult(t, byID(t, shared.http(1), "calls.get", tenant, "c1"), "1")
	wantResult(t, one(t, shared.nats(), tenant, `{"call_id": "c1", "tool": "debug.echo", "arguments": {"value": 1}}`), "1")
}

// TestStartAgainChangesNothing: processes that start later find the streams as
// they are, and what is in them.
func TestStartAgainChangesNothing(t *testing.T) {
	t.Parallel()
	url := plainServer(t, nil).ClientURL()
	first := launch(t, plan{url: url})
	wantResult(t, one(t, first.http(0), "default", `{"call_id": "c1", "tool": "debug.effect", "arguments": {"key": "k"}}`), `{"written":true}`)
	put(t, first.http(0), "default", "a1", `{"tools": ["read_file"]}`)
	names := []string{"HELVE_CALLS", "HELVE_RESULTS", "HELVE_ONCE", "HELVE_DEAD", "KV_helve_agents", "KV_helve_catalog", "OBJ_HELVE_RESULTS", "OBJ_HELVE_CALLS"}
	before := map[string]jetstream.StreamConfig{}
	for _, name := range names {
		before[name] = first.streamConfig(t, name)
	}
	second := launch(t, plan{url: url})
	for _, name := range names {
		if diff := cmp.Diff(before[name], second.streamConfig(t, name)); diff != "" {
			t.Errorf("the second start changed %s:\n%s", name, diff)
		}
	}
	wantResult(t, one(t, second.http(0), "default", `{"call_id": "c1", "tool": "debug.effect", "arguments": {"key": "k"}}`), `{"written":true}`)
	first.wantLedger(t, "default", "k c1")
	second.wantLedger(t, "default")
	wantError(t, asAgent(t, second.http(0), "default", "a1", "debug.echo"), "tool_not_available", "debug.echo")
}

// TestStartAtOnce: processes that start together on an empty server set it up
// together.
func TestStartAtOnce(t *testing.T) {
	t.Parallel()
	url := plainServer(t, nil).ClientURL()
	systems := make([]*system, 4)
	errs := make([]error, len(systems))
	dirs := make([]string, len(systems))
	for i := range dirs {
		dirs[i] = t.TempDir()
	}
	var all sync.WaitGroup
	for i := range systems {
		all.Go(func() { systems[i], errs[i] = start(dirs[i], plan{url: url}) })
	}
	all.Wait()
	for i, s := range systems {
		if errs[i] != nil {
			t.Errorf("start %d: %v", i, errs[i])
		} else {
			wantResult(t, one(t, s.http(0), "default", echo("1")), "1")
		}
	}
	for i, s := range systems {
		if err := s.stop(); err != nil {
			t.Errorf("stop %d: %v", i, err)
		}
	}
}
