package calls

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/audit/proof"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/internal/test/e2e/system/writer"
	"github.com/helve-dev/helve/internal/test/testtime"
)

// echoStored returns a result of a call of debug.echo, in the form in which worker stores it.
func echoStored(worker *proof.Process, tenant, call string, attempt int, value string) (element, record string) {
	element = fmt.Sprintf(
		`{"call_id":%q,"tool":"debug.echo","status":"success","state":"done","result":%q,"duration_ms":1,"attempt":%d,"owner":{}}`, call,
		value, attempt,
	)
	record = fmt.Sprintf(`{"audit_id":"f-%s-%d","time":"2026-11-20T12:00:00.000000000Z","phase":"finished","call_id":%q,"tenant":%q,"tool":"debug.echo","result":{"status":"success"},"worker":%q,"attempt":%d}`,
		call, attempt, call, tenant, worker.ID(), attempt)
	return element, string(worker.Prove([]byte(record)))
}

// storeResult stores a single result, like a worker of a second attempt.
func storeResult(t *testing.T, s *system.System, worker *proof.Process, tenant, call, value string) {
	t.Helper()
	element, record := echoStored(worker, tenant, call, 2, value)
	storeMessage(t, s, &nats.Msg{Subject: "helve.v1." + tenant + ".result.default.d-gone." + call, Data: []byte(element), Header: nats.Header{
		queue.HeaderRecord: {record}, queue.HeaderShared: {"1"},
	}})
}

// storeGroup stores results of calls in one message.
func storeGroup(t *testing.T, s *system.System, worker *proof.Process, tenant, id, value string, calls ...string) {
	t.Helper()
	var data, names, records []string
	for _, call := range calls {
		element, record := echoStored(worker, tenant, call, 1, value)
		data, names, records = append(data, element), append(names, fmt.Sprintf("%s:%d", call, len(element))), append(records, record)
	}
	storeMessage(t, s,
		&nats.Msg{Subject: "helve.v1." + tenant + ".result.default.d-gone.~" + id, Data: []byte(strings.Join(data, "")), Header: nats.Header{
			queue.HeaderGroup: {strings.Join(names, " ")}, queue.HeaderRecord: {strings.Join(records, "\t")},
		}})
}

func storeMessage(t *testing.T, s *system.System, msg *nats.Msg) {
	t.Helper()
	if r, err := s.Conn.RequestMsg(msg, testtime.Patience()); err != nil || strings.Contains(string(r.Data), `"error"`) {
		t.Fatalf("%s is not stored: %s, %v", msg.Subject, r.Data, err)
	}
}

// TestFirstResultCounts: of two results of one call, one of them in a group, every door and
// every dispatcher answers with the first in the stream, immediately after it is stored,
// and the record of the other is marked as superseded.
func TestFirstResultCounts(t *testing.T) {
	t.Parallel()
	tenant, worker := system.NewTenant(), writer.New(t, shared)
	storeGroup(t, shared, worker, tenant, "g1", "first", "grouped", "both")
	storeResult(t, shared, worker, tenant, "both", "second")
	storeResult(t, shared, worker, tenant, "alone", "first")
	for i := range 3 {
		for name, d := range map[string]system.Door{"first dispatcher": shared.HTTP(0), "second": shared.HTTP(1), "nats": shared.NATS()} {
			for _, call := range []string{"grouped", "both", "alone"} {
				if e := system.ByID(t, d, "calls.get", tenant, call); string(e.Result) != `"first"` {
					t.Errorf("round %d, %s: %s = %v, want the first result", i, name, call, e)
				}
				if e := system.ByID(t, d, "calls.cancel", tenant, call); string(e.Result) != `"first"` {
					t.Errorf("round %d, %s: the cancelled %s = %v, want the first result", i, name, call, e)
				}
			}
		}
		storeGroup(t, shared, worker, tenant, fmt.Sprintf("late-%d", i), "late", "grouped", "both", "alone")
	}
	for _, call := range []string{"grouped", "both", "alone"} {
		all, _ := system.QueryRecords(t, shared.HTTP(0), tenant, map[string]string{"call_id": call})
		phases := map[string]int{}
		for _, r := range all {
			phases[r.Phase]++
		}
		want := map[string]int{"finished": 1, "superseded": 3}
		if call == "both" {
			want["superseded"]++
		}
		if fmt.Sprint(phases) != fmt.Sprint(want) {
			t.Errorf("on record of %s: %v, want %v", call, phases, want)
		}
	}
	if r := shared.HTTP(1).Ask(t, tenant, "audit.verify", nil, ""); r.Status != 200 || !strings.Contains(string(r.Body), `"ok":true`) {
		t.Errorf("audit.verify = %d %s", r.Status, r.Body)
	}
}

// TestGroupsOfCalls: results of calls that end together share messages, and every
// dispatcher repeats the first answer to each, including to a caller that sends the call
// again.
func TestGroupsOfCalls(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Dispatchers: 2})
	const tenant, calls, requests = "default", 50, 8
	system.Eventually(t, "a group", func() bool {
		for n := range requests {
			var body []string
			for i := range calls {
				body = append(body, fmt.Sprintf(`{"call_id":"c%d-%d","tool":"debug.echo","arguments":{"value":%d}}`, n, i, i))
			}
			all := system.Together(t, s.HTTP(n%2), tenant, body...)
			for i, e := range all {
				system.WantResult(t, e, fmt.Sprint(i))
				for _, d := range []system.Door{s.HTTP(0), s.HTTP(1)} {
					// Until its worker receives the acknowledgement the call may still
					// count as running.
					var again system.Element
					system.Eventually(t, "the end of "+e.CallID, func() bool {
						again = system.ByID(t, d, "calls.get", tenant, e.CallID)
						return again.State == "done"
					})
					if again.String() != e.String() || again.Worker != e.Worker {
						t.Errorf("calls.get of %s = %v, answered was %v", e.CallID, again, e)
					}
				}
				if again := system.One(t, s.HTTP((n+1)%2), tenant, body[i]); again.String() != e.String() || again.Worker != e.Worker {
					t.Errorf("%s, sent again, ended as %v, answered was %v", e.CallID, again, e)
				}
			}
		}
		msg, err := s.Stream(t, "HELVE_RESULTS").GetLastMsgForSubject(t.Context(), "helve.v1.default.result.*.*.*")
		return err == nil && msg != nil && s.Stream(t, "HELVE_RESULTS").CachedInfo().State.Msgs < calls*requests
	})
}

// TestGroupsWithoutAnIndex: while the index's database is unreachable a call whose result
// may be in a group is neither unknown nor answered with another attempt's result: the
// caller is asked to try again. New calls are answered.
func TestGroupsWithoutAnIndex(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Config: func(c *config.Config) { c.Store.URL = "postgres://helve@127.0.0.1:1/helve?connect_timeout=1" }})
	const tenant = "default"
	system.WantResult(t, system.One(t, s.HTTP(0), tenant, system.EchoCall("1")), "1")
	system.WantResult(t, system.One(t, s.HTTP(0), tenant, `{"call_id": "c1", "tool": "debug.echo", "arguments": {"value": 2}}`), "2")
	worker := writer.New(t, s)
	storeGroup(t, s, worker, tenant, "g1", "first", "grouped", "both")
	storeResult(t, s, worker, tenant, "both", "second")
	for _, call := range []string{"grouped", "both"} {
		r := s.HTTP(0).Ask(t, tenant, "calls.get", map[string]string{"call_id": call}, "")
		if r.Status != 503 || !strings.Contains(string(r.Body), "the audit index") || r.Header.Get("Retry-After") == "" {
			t.Errorf("calls.get of %s without an index = %d %s, want 503 that names the index and when to ask again", call, r.Status, r.Body)
		}
	}
}
