package audit

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

func TestEventsOverNATS(t *testing.T) {
	t.Parallel()
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		tenant, trace, before := system.NewTenant(), system.NewTrace(), time.Now()
		events := shared.Listen(t, tenant)
		a := system.Execute(t, d, tenant, system.Traced(trace, `{"call_id": "c1", "tool": "contract_steps", "arguments": {"n": 3}}`))
		events.Until("done", "c1")
		var kinds []string
		for _, e := range events.Heard {
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
			got := string(events.Until(kind, "c1").Data)
			if kind == "progress" && got == `{"of":3,"step":1}` {
				continue
			}
			if got != want {
				t.Errorf("data of %s = %s, want %s", kind, got, want)
			}
		}
		system.Execute(t, d, tenant, system.Traced(trace, `{"call_id": "c2", "tool": "debug.fail", "arguments": {"how": "error"}}`))
		if got := string(events.Until("done", "c2").Data); got != `{"status":"error","error_type":"execution_error"}` {
			t.Errorf("data of a failed call's done = %s", got)
		}
	})
}

// TestEventStream opens the stream before the first event: its headers come immediately,
// then all events of the trace and of no other.
func TestEventStream(t *testing.T) {
	t.Parallel()
	tenant, trace := system.NewTenant(), system.NewTrace()
	live := []*system.EventStream{
		shared.HTTP(0).Follow(t, tenant, trace, ""), shared.HTTP(0).Follow(t, tenant, trace, ""), shared.HTTP(1).Follow(t, tenant, trace, ""),
	}
	system.Execute(t, shared.NATS(), tenant, system.Traced(system.NewTrace(), system.EchoCall("1")))
	system.Execute(t, shared.NATS(), system.NewTenant(), system.Traced(trace, system.EchoCall("1")))
	system.Execute(t, shared.NATS(), tenant, system.Traced(trace, `{"call_id": "c1", "tool": "contract_steps", "arguments": {"n": 1}}`))
	late := shared.HTTP(1).Follow(t, tenant, trace, "")

	const want = "queued started progress log partial done"
	for i, s := range append(live, late) {
		all := s.Until("done")
		var got []string
		for _, e := range all {
			got = append(got, e.Name)
			if e.CallID != "c1" || e.TraceID != trace || e.Name != e.Type || e.ID == "" {
				t.Errorf("listener %d heard %+v, want its name, an id, and no other trace", i, e)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("listener %d heard %v, want %s", i, got, want)
		}
		// Each resumes after another event, at either dispatcher.
		at := i % (len(all) - 1)
		if next := shared.HTTP(i%2).Follow(t, tenant, trace, all[at].ID).Next(); next.ID != all[at+1].ID {
			t.Errorf("after %s the stream went on with %s, want %s", all[at].Type, next.Type, all[at+1].Type)
		}
	}
}

// TestStreamGoesOn: a replayed stream continues with new events.
func TestStreamGoesOn(t *testing.T) {
	t.Parallel()
	tenant, trace := system.NewTenant(), system.NewTrace()
	system.Execute(t, shared.HTTP(0), tenant, system.Traced(trace, `{"call_id": "c1", "tool": "debug.echo"}`))
	s := shared.HTTP(1).Follow(t, tenant, trace, "")
	s.Until("done")
	system.Execute(t, shared.HTTP(0), tenant, system.Traced(trace, `{"call_id": "c2", "tool": "debug.echo"}`))
	for _, e := range s.Until("done") {
		if e.CallID != "c2" {
			t.Errorf("after the replay came %+v, want only the second call", e)
		}
	}
}

// TestSlowListener: a listener that reads nothing does not delay the calls.
func TestSlowListener(t *testing.T) {
	t.Parallel()
	tenant, trace := system.NewTenant(), system.NewTrace()
	shared.HTTP(0).Follow(t, tenant, trace, "")
	calls := make([]string, 6) // of a thousand events each: more than a listener may be behind
	for i := range calls {
		calls[i] = fmt.Sprintf(`{"call_id": "c%d", "tool": "contract_steps", "arguments": {"n": 1000}}`, i)
	}
	for _, e := range system.Execute(t, shared.HTTP(0), tenant, system.Traced(trace, strings.Join(calls, ","))).Results {
		system.WantResult(t, e, `"told"`)
	}
	// A new listener receives the end, if not every step.
	system.Execute(t, shared.HTTP(0), tenant, system.Traced(trace, `{"call_id": "last", "tool": "debug.echo"}`))
	s := shared.HTTP(0).Follow(t, tenant, trace, "")
	for e := s.Next(); e.CallID != "last"; e = s.Next() {
		if e.TraceID != trace {
			t.Fatalf("heard %+v", e)
		}
	}
}
