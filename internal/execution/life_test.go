package execution

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// life is one delivery of a call, and the state of the stores when it has ended.
type life struct {
	m *model
	n *node
	d *modelDelivery
}

// live delivers one call to a worker after change was applied, and waits until the queue is
// empty or the time is over.
func live(t *testing.T, k kind, change func(l *life, c *Call)) *life {
	t.Helper()
	l := &life{m: newModel(t, k)}
	l.n = l.m.add()
	l.m.submit("c", func(c *Call) { change(l, c) })
	l.d = l.m.deliver(l.m.undelivered(), l.n)
	time.Sleep(10 * time.Second)
	synctest.Wait()
	return l
}

// result returns the stored result of the call.
func (l *life) result() protocol.Result {
	if c := l.m.call("c"); len(c.results) > 0 {
		return c.results[0].Result
	}
	return protocol.Result{}
}

func same(*life, *Call) {}

// begun stores that workers have begun the call, after the first one, and delivers it again.
func (l *life) begun(c *Call, workers ...string) {
	for i, worker := range workers {
		l.m.call(fmt.Sprintf("c=%d", i+2)).fence = &call.Fence{By: worker}
	}
	c.Attempt = len(workers) + 1
}

// TestEndOfAnUnstartedCall: a call that may act has a fence before it ends without a start.
func TestEndOfAnUnstartedCall(t *testing.T) {
	t.Parallel()
	for k, fenced := range map[kind]bool{reading: false, repeatable: true, acting: true} {
		synctest.Test(t, func(t *testing.T) {
			l := live(t, k, func(l *life, _ *Call) { l.m.denying = l.n })
			f := l.m.call("c").fence
			if l.result().ErrorType != tool.PermissionDenied || (f != nil) != fenced || fenced && f.Ended != string(tool.PermissionDenied) {
				t.Errorf("%s: result %+v, fence %+v, want it fenced: %v", k.name, l.result(), f, fenced)
			}
		})
	}
}

// TestOutcomes plays lives whose outcome a single fact decides.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	soon := func(c *Call) { c.StartByMS = time.Now().Add(time.Second).UnixMilli() }
	crowd := func(l *life) {
		l.m.entry.Reserve = func(context.Context, *tool.Call) (engine.Room, error) {
			return nil, tool.Fail(tool.Overloaded, "no sandbox")
		}
	}
	for name, tt := range map[string]struct {
		change func(l *life, c *Call)
		end    string
		want   protocol.Result
	}{
		"a success": {same, "acked", protocol.Result{Status: "success", Result: []byte(`"done"`)}},
		"a large result": {
			func(l *life, _ *Call) { l.m.value = strings.Repeat("x", 2<<10) }, "acked", protocol.Result{Status: "success"},
		},
		"a result without JSON": {
			func(l *life, _ *Call) { l.m.value = "unencodable" }, "acked", protocol.Result{Status: "error", ErrorType: tool.ExecutionError},
		},
		"arguments gone": {
			func(l *life, _ *Call) { l.m.loadErr = ErrGone }, "acked", protocol.Result{Status: "error", ErrorType: tool.Internal},
		},
		"arguments not readable": {func(l *life, _ *Call) { l.m.loadErr = errLost }, "returned", protocol.Result{}},
		"bound elsewhere":        {func(l *life, _ *Call) { l.m.home = &Home{Worker: "w9", Lane: "w9lane"} }, "moved", protocol.Result{}},
		"bound here": {
			func(l *life, _ *Call) { l.m.home = &Home{Worker: "w1", Lane: "w1lane"} }, "acked",
			protocol.Result{Status: "success", Result: []byte(`"done"`)},
		},
		"binding not readable": {func(l *life, _ *Call) { l.m.homeErr = errLost }, "returned", protocol.Result{}},
		"tool lacking":         {func(l *life, _ *Call) { l.m.lacking = l.n }, "moved", protocol.Result{}},
		"tool lacking, late": {
			func(l *life, c *Call) { l.m.lacking = l.n; c.StartByMS = time.Now().Add(-time.Millisecond).UnixMilli() }, "acked",
			protocol.Result{Status: "error", ErrorType: tool.Timeout},
		},
		"no room": {func(l *life, _ *Call) { crowd(l) }, "moved", protocol.Result{}},
		"no room, late": {
			func(l *life, c *Call) { crowd(l); soon(c) }, "acked", protocol.Result{Status: "error", ErrorType: tool.Overloaded},
		},
		"begun too often": {
			func(l *life, c *Call) { l.begun(c, "a", "b", "c", "d", "e") }, "acked",
			protocol.Result{Status: "error", ErrorType: tool.ExecutionError},
		},
		"begun often": {
			func(l *life, c *Call) { l.begun(c, "a", "b", "c", "d") }, "acked", protocol.Result{Status: "success", Result: []byte(`"done"`)},
		},
		"begun here before": {
			func(l *life, c *Call) { l.begun(c, "a", "b", "c", "d", "w1") }, "acked", protocol.Result{Status: "success", Result: []byte(`"done"`)},
		},
		"deliveries not begun": {
			func(_ *life, c *Call) { c.Attempt = 20 }, "acked", protocol.Result{Status: "success", Result: []byte(`"done"`)},
		},
		"delivered too long": {
			func(_ *life, c *Call) { c.Attempt = 20; c.StartByMS = time.Now().Add(-time.Millisecond).UnixMilli() }, "acked",
			protocol.Result{Status: "error", ErrorType: tool.ExecutionError},
		},
		"cancelled before": {
			func(l *life, _ *Call) { l.n.x.Cancel("acme", "c") }, "acked", protocol.Result{Status: "error", ErrorType: tool.Cancelled},
		},
		"a bad token parks": {func(l *life, _ *Call) { l.m.parks = true }, "acked", protocol.Result{}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := live(t, reading, tt.change)
				got := l.result()
				if got.Status != tt.want.Status || got.ErrorType != tt.want.ErrorType ||
					tt.want.Result != nil && string(got.Result) != string(tt.want.Result) {
					t.Errorf("the result is %+v, want %+v", got, tt.want)
				}
				if large := name == "a large result"; (got.ResultRef != nil) != large ||
					large && (got.ResultRef.Object != "w1-1" || got.Result != nil) {
					t.Errorf("the result lies in %+v", got.ResultRef)
				}
				if !slices.Equal(l.d.ends, []string{tt.end}) || l.d.freed != 1 || l.n.x.Count() != 0 || len(l.m.wrong) > 0 {
					t.Errorf("the delivery ended as %q, freed its slot %d times, %q; want %s", l.d.ends, l.d.freed, l.m.wrong, tt.end)
				}
			})
		})
	}
}

// TestShortage: a call that is delivered during a shortage waits with its slot, and returns
// to the queue if the worker drains.
func TestShortage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := live(t, acting, func(l *life, _ *Call) { l.m.shortage = Full })
		if l.d.freed != 0 || len(l.m.call("c").effects) > 0 || l.n.x.Count() != 1 {
			t.Errorf("the call acted on %q and freed its slot %d times, want it to wait", l.m.call("c").effects, l.d.freed)
		}
		l.n.x.Drain()
		synctest.Wait()
		if !slices.Equal(l.d.ends, []string{"returned"}) {
			t.Errorf("the delivery ended as %q, want it returned", l.d.ends)
		}
	})
}

// TestStartNotRecorded: a call whose start cannot be recorded, because the store does not
// answer, waits behind its fence until it can be, at most until it must have started.
func TestStartNotRecorded(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		away, startBy time.Duration
		want          tool.Kind
	}{
		"away for a while":  {6 * time.Second, time.Minute, ""},
		"away for too long": {time.Hour, 6 * time.Second, tool.Internal},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				l := live(t, acting, func(l *life, c *Call) {
					c.StartByMS = began.Add(tt.startBy).UnixMilli()
					l.m.fault = func(op string) fault {
						return map[bool]fault{true: refused}[op == "record" && time.Since(began) < tt.away]
					}
				})
				if got := l.result(); got.Status == "" || got.ErrorType != tt.want || len(l.m.call("c").effects) > 1 || len(l.m.wrong) > 0 {
					t.Errorf("the result is %+v with the effects %q, %q; want the error %q", got, l.m.call("c").effects, l.m.wrong, tt.want)
				}
			})
		})
	}
}

// TestEndedCallsKeepTheirSlots: beyond a bound, calls that have ended and cannot be stored
// keep their slots.
func TestEndedCallsKeepTheirSlots(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newModel(t, repeatable)
		n := m.add()
		m.fault = func(op string) fault { return map[bool]fault{true: refused}[op == "store"] }
		const calls, most = 30, endedPerSlot * 4
		for i := range calls {
			m.submit(string(rune('a'+i)), func(*Call) {})
		}
		for range calls {
			m.deliver(m.undelivered(), n)
		}
		time.Sleep(10 * time.Second)
		freed := func() (n int) {
			m.mu.Lock()
			defer m.mu.Unlock()
			for _, d := range m.taken {
				n += d.freed
			}
			return n
		}
		if got := freed(); got != most {
			t.Errorf("%d of %d calls that are not stored freed their slots, want %d", got, calls, most)
		}
		m.settle()
		if m.check(); freed() != calls || len(m.wrong) > 0 {
			t.Errorf("%d slots are free, want %d; %q", freed(), calls, m.wrong)
		}
	})
}

// TestEventsOfACall: the start is published before the events of the tool and the end.
func TestEventsOfACall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := live(t, reading, func(l *life, c *Call) { l.m.toolTime = 0 })
		c, d := &Call{Call: &call.Call{ID: "other"}}, 0
		emit := eventEmitter{view{l.m, l.n}, c, func() { d++ }}
		emit.Emit("progress", map[string]int{"percent": 1})
		emit.Emit("progress", func() {}) // no JSON
		if want := []string{"started", "done", "progress"}; !slices.Equal(l.m.events, want) || d != 1 {
			t.Errorf("events = %q after %d starts, want %q after one", l.m.events, d, want)
		}
	})
}

// TestNestedCalls: the fence of a call that makes others is written when the first of them
// acts, and their records are stored however often that takes.
func TestNestedCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newModel(t, reading)
		m.entry.Tool.Needs = tool.NeedTools
		n := m.add()
		var errs []error
		job := &engine.Job{Call: tool.Call{ID: "c", Tenant: "acme", Attempt: 1}, Name: "work", Args: []byte(`{}`)}
		n.x.engine.Execute(t.Context(), job)
		errs = append(errs, n.x.Ledger().BeginNested(t.Context(), job), n.x.Ledger().BeginNested(t.Context(), job))
		if f := m.call("c").fence; f == nil || f.By != "w1" || errors.Join(errs...) != nil {
			t.Errorf("fence %+v, %v, want one of w1", f, errs)
		}
		m.call("c").fence = &call.Fence{By: "d1", Ended: string(tool.Cancelled)}
		if e := new(tool.Error); !errors.As(n.x.Ledger().BeginNested(t.Context(), job), &e) || e.Kind != tool.Cancelled {
			t.Errorf("a call that was ended goes on: %v", e)
		}
		tries := 0
		m.fault = func(string) fault { tries++; return fault(max(0, 3-tries)) }
		stored := make(chan struct{})
		n.x.Record(&protocol.AuditRecord{CallID: "c~1"}, func() { close(stored) })
		<-stored
		if tries != 3 || m.call("c~1").started != 2 {
			t.Errorf("%d tries, %d records, want 3 and 2: the second was stored unheard", tries, m.call("c~1").started)
		}
	})
}

// TestCall: a call is known as long as this worker owns it.
func TestCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newModel(t, reading)
		n := m.add()
		m.submit("c", func(*Call) {})
		d := m.deliver(m.undelivered(), n)
		synctest.Wait()
		if c := n.x.Call("acme", "c"); c != &d.call {
			t.Errorf("Call = %v, want the call that runs", c)
		}
		m.settle()
		if c := n.x.Call("acme", "c"); c != nil {
			t.Errorf("Call after the end = %v", c)
		}
	})
}

// TestDocumentedStates: the table of states in the package comment is that of the code.
func TestDocumentedStates(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for from, next := range transitions {
		if len(next) == 0 {
			continue
		}
		var names []string
		for _, s := range next {
			if s != state(from) {
				names = append(names, s.String())
			}
		}
		var got []string
		column := 0
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "//\tstate ") {
				column = strings.Index(line, "next")
			}
			if column > 0 && got == nil && strings.HasPrefix(line, "//\t"+state(from).String()+" ") {
				got = strings.Split(strings.TrimSpace(strings.ReplaceAll(line[column:], " (outcome_unknown)", "")), ", ")
			}
		}
		slices.Sort(got)
		if slices.Sort(names); !slices.Equal(got, names) {
			t.Errorf("doc.go has %q after %s, the code %q", got, state(from), names)
		}
	}
}

// TestSecondAttemptNamesTheLostWorker: the record of a call that was taken over names the
// worker that had it before; a first attempt has no such sentence.
func TestSecondAttemptNamesTheLostWorker(t *testing.T) {
	t.Parallel()
	for attempt, want := range map[int]string{1: "", 2: "attempt 1 was on worker w-gone, which is gone"} {
		synctest.Test(t, func(t *testing.T) {
			l := live(t, reading, func(l *life, c *Call) {
				l.m.lost = []string{"w-gone"}
				c.Attempt = attempt - 1 // deliveries so far
			})
			if c := l.m.call("c"); len(c.results) != 1 || c.results[0].record.Detail != want {
				t.Errorf("attempt %d has the results %+v, want the detail %q", attempt, c.results, want)
			}
		})
	}
}
