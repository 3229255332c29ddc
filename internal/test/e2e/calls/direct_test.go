package calls

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/tool"
)

type paceArgs struct {
	Rest bool `json:"rest,omitempty" doc:"True to rest until the test goes on."`
}

// paced is a system with a tool that is quick, or waits until goOn.
type paced struct {
	*system.System
	t *testing.T
	// runs receives a value for each run of the waiting tool.
	runs chan string
	goOn chan struct{}
}

// newPaced starts a system whose tools were recently quick.
func newPaced(t *testing.T, dispatchers int, change func(*config.Config)) *paced {
	t.Helper()
	p := &paced{t: t, runs: make(chan string, 100), goOn: make(chan struct{})}
	p.System = system.Launch(t, system.Plan{Dispatchers: dispatchers, Config: func(c *config.Config) {
		c.Dispatcher.DirectUnder, c.Dispatcher.DirectWait = time.Minute, 3*time.Second // a busy machine is slow
		if change != nil {
			change(c)
		}
	}})
	set := tool.NewSet("Pace", "pace")
	for name, mutates := range map[string]bool{"pace_read": false, "pace_write": true} {
		tool.Add(set, tool.Spec[paceArgs, string]{
			Name: name, Description: "Answer now or later.", Risk: tool.Low, Mutates: mutates, Idempotent: !mutates, Timeout: time.Minute,
			Pool: "pace",
			Run: func(ctx context.Context, call *tool.Call, args paceArgs) (string, error) {
				if args.Rest {
					p.runs <- call.ID
					select {
					case <-ctx.Done():
						return "", ctx.Err()
					case <-p.goOn:
					}
				}
				return "read", nil
			},
		})
	}
	p.AddOwnWorker(t, set, func(c *config.Config) { c.Worker.Pools = []string{"pace"} })
	p.hurry()
	return p
}

// direct returns the number of direct calls of the first dispatcher with an outcome.
func (p *paced) direct(outcome string) float64 {
	p.t.Helper()
	return p.Metric(p.t, fmt.Sprintf(`helve_calls_direct_total{outcome=%q}`, outcome))
}

// queued returns the number of calls that were ever queued.
func (p *paced) queued() uint64 {
	p.t.Helper()
	return p.Stream(p.t, streams.Calls).CachedInfo().State.LastSeq
}

const readNow, readLater = `{"tool": "pace_read"}`, `{"call_id": %q, "tool": "pace_read", "arguments": {"rest": true}}`

// hurry makes calls until one of them was direct.
func (p *paced) hurry() {
	p.t.Helper()
	before := p.direct("answered")
	system.Eventually(p.t, "a direct call", func() bool {
		if e := system.Together(p.t, p.HTTP(0), system.NewTenant(), readNow)[0]; e.Status != "success" && e.ErrorType != "tool_not_found" {
			p.t.Fatalf("a quick call = %+v", e)
		}
		return p.direct("answered") > before
	})
}

// TestDirectCall: a quick call that changes nothing is not queued. Its answer is its stored
// result, and it has its events and one final record.
func TestDirectCall(t *testing.T) {
	t.Parallel()
	p := newPaced(t, 2, nil)
	tenant := system.NewTenant()
	events := p.Listen(t, tenant)
	var asked, id string
	var e system.Element
	system.Eventually(t, "a call is not queued", func() bool { // a busy machine is at times too slow for one
		id += "c"
		asked = fmt.Sprintf(`{"call_id": %q, "tool_call_id": "t", "tool": "pace_read"}`, id)
		before := p.queued()
		e = system.One(t, p.HTTP(0), tenant, asked)
		return p.queued() == before
	})
	system.WantResult(t, e, `"read"`)
	if e.Attempt != 1 || e.ToolCallID != "t" {
		t.Errorf("the call = %+v, want the first attempt", e)
	}
	for _, d := range []system.Door{p.HTTP(0), p.HTTP(1), p.NATS()} {
		if got := system.ByID(t, d, "calls.get", tenant, id); string(got.Result) != string(e.Result) || got.Worker != e.Worker ||
			got.Status != "success" {
			t.Errorf("calls.get = %+v, want %+v", got, e)
		}
	}
	system.WantResult(t, system.One(t, p.HTTP(1), tenant, asked), `"read"`) // the same call
	for _, kind := range []string{"queued", "started", "done"} {
		events.Until(kind, id)
		if n := events.Count(kind, id); n != 1 {
			t.Errorf("%d events %s, want 1", n, kind)
		}
	}
	system.Eventually(t, "one final record", func() bool { return len(onRecord(t, p.System, tenant, id)) == 1 })
}

// TestCallsThatAreQueued: calls that act, are not waited for, or wait behind others are
// queued.
func TestCallsThatAreQueued(t *testing.T) {
	t.Parallel()
	p := newPaced(t, 1, nil)
	tenant := system.NewTenant()
	for name, body := range map[string]string{
		"a call that acts":    `{"calls": [{"tool": "pace_write"}]}`,
		"not waited for":      `{"wait_ms": 0, "calls": [{"tool": "pace_read"}]}`,
		"of priority batch":   `{"calls": [{"tool": "pace_read", "priority": "batch"}]}`,
		"may wait for worker": `{"calls": [{"tool": "pace_read", "wait_for_worker": true}]}`,
	} {
		before := p.queued()
		for range 2 { // the first run makes a tool known as quick
			system.Execute(t, p.HTTP(0), tenant, body)
		}
		if n := p.queued() - before; n != 2 {
			t.Errorf("%s: %d of 2 calls were queued", name, n)
		}
	}
}

// TestSlowDirectCall: a direct call without a result in time is queued and continues to
// run. It can be found, joined, answered as pending, and runs once.
func TestSlowDirectCall(t *testing.T) {
	t.Parallel()
	p := newPaced(t, 2, nil)
	tenant := system.NewTenant()
	asked := fmt.Sprintf(readLater, "slow")
	late := p.direct("late")
	answers := make(chan system.Element, 2)
	for i, d := range []system.Door{p.HTTP(0), p.HTTP(1)} {
		go func() { answers <- system.One(t, d, tenant, asked) }()
		if i == 0 {
			system.Receive(t, "the tool runs", p.runs)
		}
	}
	for _, d := range []system.Door{p.HTTP(0), p.HTTP(1), p.NATS()} {
		if e := system.ByID(t, d, "calls.get", tenant, "slow"); e.Status != "pending" || e.State != "running" {
			t.Errorf("calls.get = %+v, want pending running", e)
		}
	}
	system.Eventually(t, "the call is queued", func() bool { return p.direct("late") > late })
	if e := system.Execute(t, p.HTTP(1), tenant, `{"wait_ms": 50, "calls": [`+asked+`]}`).Results[0]; e.Status != "pending" {
		t.Errorf("joined and not waited for = %+v, want pending", e)
	}
	close(p.goOn)
	for range 2 {
		if e := system.Receive(t, "the call is answered", answers); e.Status != "success" || e.Attempt != 1 {
			t.Errorf("the answer = %+v, want the success of the first attempt", e)
		}
	}
	system.Eventually(t, "an empty queue", func() bool { return p.Stream(t, streams.Calls).CachedInfo().State.Msgs == 0 })
	if len(p.runs) != 0 {
		t.Errorf("the tool ran %d times more, want once", len(p.runs))
	}
}

// TestPendingDirectCall: a direct call is queued before it is answered as pending.
func TestPendingDirectCall(t *testing.T) {
	t.Parallel()
	p := newPaced(t, 1, nil)
	tenant, before := system.NewTenant(), p.queued()
	e := system.Execute(t, p.HTTP(0), tenant, `{"wait_ms": 50, "calls": [{"tool": "pace_read", "arguments": {"rest": true}}]}`).Results[0]
	if e.Status != "pending" || e.State != "running" || p.queued() != before+1 {
		t.Errorf("the answer = %+v, and %d calls were queued, want pending running and 1", e, p.queued()-before)
	}
	close(p.goOn)
	system.WantResult(t, system.Settled(t, p.NATS(), tenant, e.CallID), `"read"`)
}

// TestCancelDirectCall: calls.cancel ends a direct call while it runs.
func TestCancelDirectCall(t *testing.T) {
	t.Parallel()
	p := newPaced(t, 2, nil)
	tenant, answered := system.NewTenant(), make(chan system.Element, 1)
	go func() { answered <- system.One(t, p.HTTP(0), tenant, fmt.Sprintf(readLater, "c")) }()
	system.Receive(t, "the tool runs", p.runs)
	system.WantError(t, system.ByID(t, p.HTTP(1), "calls.cancel", tenant, "c"), "cancelled", "")
	system.WantError(t, system.Receive(t, "the call is answered", answered), "cancelled", "")
	system.WantError(t, system.ByID(t, p.NATS(), "calls.get", tenant, "c"), "cancelled", "")
}

// TestDirectCallWithoutSlot: calls for which no slot is free are queued, and each ends once.
func TestDirectCallWithoutSlot(t *testing.T) {
	t.Parallel()
	p := newPaced(t, 1, func(c *config.Config) { c.Worker.Slots = 2 })
	tenant := system.NewTenant()
	declined, before := p.direct("declined"), p.queued()
	answered := make(chan system.Element, 2)
	for i := range 2 {
		go func() { answered <- system.One(t, p.HTTP(0), tenant, fmt.Sprintf(readLater, fmt.Sprint("hold", i))) }()
		system.Receive(t, "the tool runs", p.runs)
	}
	more := make(chan system.Element, 1)
	go func() { more <- system.One(t, p.HTTP(0), tenant, readNow) }()
	system.Eventually(t, "a call is declined", func() bool {
		// Where the two took too long, all three are in the queue.
		return p.direct("declined") > declined || p.direct("late") > 1 || p.queued() == before+3
	})
	close(p.goOn)
	for _, got := range []chan system.Element{answered, answered, more} {
		system.WantResult(t, system.Receive(t, "the call is answered", got), `"read"`)
	}
}

// TestDrainWithDirectCall: a dispatcher that stops queues its direct calls and answers them
// as pending; they continue.
func TestDrainWithDirectCall(t *testing.T) {
	t.Parallel()
	p := newPaced(t, 1, nil)
	drain, err := p.AddDispatcher()
	if err != nil {
		t.Fatal(err)
	}
	tenant := system.NewTenant()
	for range 5 { // one of them is queued, and the tool then known as quick
		system.WantResult(t, system.One(t, p.HTTP(1), tenant, readNow), `"read"`)
	}
	answered := make(chan system.Element, 1)
	go func() { answered <- system.One(t, p.HTTP(1), tenant, fmt.Sprintf(readLater, "c")) }()
	system.Receive(t, "the tool runs", p.runs)
	if err := drain(); err != nil {
		t.Fatal(err)
	}
	if e := system.Receive(t, "the call is answered", answered); e.Status != "pending" {
		t.Errorf("the answer = %+v, want pending", e)
	}
	close(p.goOn)
	system.WantResult(t, system.Settled(t, p.HTTP(0), tenant, "c"), `"read"`)
}
