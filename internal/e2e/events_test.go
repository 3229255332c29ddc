package e2e

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// newTrace returns a trace id nobody else has.
func newTrace() string { return fmt.Sprintf("%016x%016x", rand.Uint64()|1, rand.Uint64()) }

// traced is the body of one call in a trace.
func traced(trace, call string) string {
	return fmt.Sprintf(`{"trace_id": %q, "calls": [%s]}`, trace, call)
}

func TestEventsOverNATS(t *testing.T) {
	t.Parallel()
	everyDoor(t, shared, func(t *testing.T, d door) {
		tenant, trace, before := newTenant(), newTrace(), time.Now()
		events := shared.listen(t, tenant)
		a := execute(t, d, tenant, traced(trace, `{"call_id": "c1", "tool": "contract_steps", "arguments": {"n": 3}}`))
		events.until("done", "c1")
		var kinds []string
		for _, e := range events.heard {
			kinds = append(kinds, e.Type)
			if e.TraceID != trace || e.CallID != "c1" || e.Tool != "contract_steps" || e.Time.Before(before.Add(-time.Second)) || len(e.Data) == 0 {
				t.Errorf("event = %+v (data %s), want its trace, call, tool, time and data", e, e.Data)
			}
		}
		if got, want := strings.Join(kinds, " "), "queued started progress progress progress log partial done"; got != want {
			t.Errorf("events = %s, want %s", got, want)
		}
		for kind, want := range map[string]string{
			"queued":   `{}`,
			"started":  fmt.Sprintf(`{"worker":%q,"attempt":1}`, a.Results[0].Worker),
			"progress": `{"step":1,"of":3}`,
			"partial":  `"a part"`,
			"done":     `{"status":"success"}`,
		} {
			got := string(events.until(kind, "c1").Data)
			if kind == "progress" && got == `{"of":3,"step":1}` {
				continue
			}
			if got != want {
				t.Errorf("data of %s = %s, want %s", kind, got, want)
			}
		}
		execute(t, d, tenant, traced(trace, `{"call_id": "c2", "tool": "debug.fail", "arguments": {"how": "error"}}`))
		if got := string(events.until("done", "c2").Data); got != `{"status":"error","error_type":"execution_error"}` {
			t.Errorf("data of a failed call's done = %s", got)
		}
	})
}

// TestEventStream opens the stream before anything happens: its headers come at
// once, then all events of the trace and of no other.
func TestEventStream(t *testing.T) {
	t.Parallel()
	tenant, trace := newTenant(), newTrace()
	live := []*stream{shared.http(0).follow(t, tenant, trace, ""), shared.http(0).follow(t, tenant, trace, ""), shared.http(1).follow(t, tenant, trace, "")}
	execute(t, shared.nats(), tenant, traced(newTrace(), echo("1")))
	execute(t, shared.nats(), newTenant(), traced(trace, echo("1")))
	execute(t, shared.nats(), tenant, traced(trace, `{"call_id": "c1", "tool": "contract_steps", "arguments": {"n": 1}}`))
	late := shared.http(1).follow(t, tenant, trace, "")

	const want = "queued started progress log partial done"
	for i, s := range append(live, late) {
		all := s.until("done")
		var got []string
		for _, e := range all {
			got = append(got, e.name)
			if e.CallID != "c1" || e.TraceID != trace || e.name != e.Type || e.id == "" {
				t.Errorf("listener %d heard %+v, want its name, an id, and no other trace", i, e)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("listener %d heard %v, want %s", i, got, want)
		}
		// Each resumes after another event, at either dispatcher.
		at := i % (len(all) - 1)
		if next := shared.http(i%2).follow(t, tenant, trace, all[at].id).next(); next.id != all[at+1].id {
			t.Errorf("after %s the stream went on with %s, want %s", all[at].Type, next.Type, all[at+1].Type)
		}
	}
}

// TestStreamGoesOn: a replayed stream then follows what happens.
func TestStreamGoesOn(t *testing.T) {
	t.Parallel()
	tenant, trace := newTenant(), newTrace()
	execute(t, shared.http(0), tenant, traced(trace, `{"call_id": "c1", "tool": "debug.echo"}`))
	s := shared.http(1).follow(t, tenant, trace, "")
	s.until("done")
	execute(t, shared.http(0), tenant, traced(trace, `{"call_id": "c2", "tool": "debug.echo"}`))
	for _, e := range s.until("done") {
		if e.CallID != "c2" {
			t.Errorf("after the replay came %+v, want only the second call", e)
		}
	}
}

// TestSlowListener: one that takes nothing does not hold up the calls.
func TestSlowListener(t *testing.T) {
	t.Parallel()
	tenant, trace := newTenant(), newTrace()
	shared.http(0).follow(t, tenant, trace, "")
	calls := make([]string, 6) // of a thousand events each: more than a listener may lag behind
	for i := range calls {
		calls[i] = fmt.Sprintf(`{"call_id": "c%d", "tool": "contract_steps", "arguments": {"n": 1000}}`, i)
	}
	for _, e := range execute(t, shared.http(0), tenant, traced(trace, strings.Join(calls, ","))).Results {
		wantResult(t, e, `"told"`)
	}
	// Who listens now is told of the end, if not of every step.
	execute(t, shared.http(0), tenant, traced(trace, `{"call_id": "last", "tool": "debug.echo"}`))
	s := shared.http(0).follow(t, tenant, trace, "")
	for e := s.next(); e.CallID != "last"; e = s.next() {
		if e.TraceID != trace {
			t.Fatalf("heard %+v", e)
		}
	}
}
