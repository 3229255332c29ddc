package program

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/helve-dev/helve/internal/bus/callbacks"
	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/bus/programs"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/durable"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// asleep has a program wait for a time, and for steps.
func asleep(t *testing.T, s *Service, c *call.Call, until time.Time, steps ...string) programs.Key {
	t.Helper()
	key := programs.Key{Tenant: c.Tenant, CallID: c.ID}
	p, revision, err := s.Store.Read(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	p.State, p.Waits = durable.Waiting, nil
	if !until.IsZero() {
		p.Waits = append(p.Waits, protocol.ProgramWait{Kind: protocol.WaitSleep, Until: &until})
	}
	for _, id := range steps {
		p.Waits = append(p.Waits, protocol.ProgramWait{Kind: protocol.WaitCall, CallID: id})
	}
	if err := s.Store.Change(t.Context(), key, p, revision); err != nil {
		t.Fatal(err)
	}
	return key
}

// queued waits until a program was queued again, and returns it with the number of messages.
func queued(t *testing.T, s *Service, key programs.Key) (p *durable.Program, messages uint64) {
	t.Helper()
	queuetest.Until(t, "the program is queued", func() bool {
		p, _, _ = s.Store.Read(queuetest.Context(t), key)
		return p != nil && p.State == durable.Queued && p.Wake > 0
	})
	info, err := s.Queue.Conn.JetStream().Stream(t.Context(), streams.Calls)
	if err != nil {
		t.Fatal(err)
	}
	return p, info.CachedInfo().State.Msgs
}

// wakes runs the waker until the returned function is called.
func wakes(t *testing.T, s *Service) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Wake(ctx) }()
	return func() {
		t.Helper()
		cancel()
		if err := queuetest.Receive(t, done, "end of the waker"); !errors.Is(err, context.Canceled) {
			t.Errorf("Wake = %v", err)
		}
	}
}

// TestTwoHoldersOfTheLease: while a lease has two holders for a moment, and when the second one
// goes on where the first one stopped, a program is queued once for each wake.
func TestTwoHoldersOfTheLease(t *testing.T) {
	t.Parallel()
	s, c := opened(t, `{"code":"x"}`)
	first, second := wakes(t, s), wakes(t, s)
	key := asleep(t, s, c, time.Now().Add(50*time.Millisecond))
	p, messages := queued(t, s, key)
	if p.Wake != 1 || messages != 1 || p.WokenMS == 0 {
		t.Errorf("woken %d times, %d messages, at %d", p.Wake, messages, p.WokenMS)
	}
	first()
	second()
	key = asleep(t, s, c, time.Now()) // nobody has the lease
	third := wakes(t, s)
	defer third()
	queuetest.Until(t, "it is woken again", func() bool {
		p, _, _ := s.Store.Read(queuetest.Context(t), key)
		return p != nil && p.State == durable.Queued && p.Wake == 2
	})
}

// failing is calls whose results cannot be read until it is mended.
type failing struct {
	echoes
	mended *atomic.Bool
	looks  *atomic.Int32
}

func (f failing) Outcome(context.Context, string, string, queue.Acceptance) ([]byte, error) {
	f.looks.Add(1)
	if !f.mended.Load() {
		return nil, errors.New("the index is behind")
	}
	return []byte(`{"status":"success","attempt":1,"result":42}`), nil
}

// TestWakeThatFails: a program whose wake fails again and again is logged once, and woken when the
// cause is mended.
func TestWakeThatFails(t *testing.T) {
	t.Parallel()
	s, c := opened(t, `{"code":"x"}`)
	core, logs := observer.New(zap.WarnLevel)
	calls := failing{mended: new(atomic.Bool), looks: new(atomic.Int32)}
	s.Log, s.calls = zap.New(core), calls
	if _, err := s.Queue.Calls.Accept(t.Context(), c.Tenant, "p~1", queue.Acceptance{Tool: "echo", AcceptedMS: time.Now().UnixMilli()}); err != nil {
		t.Fatal(err)
	}
	defer wakes(t, s)()
	key := asleep(t, s, c, time.Time{}, "p~1")
	queuetest.Until(t, "it is looked at again and again", func() bool { return calls.looks.Load() >= 3 })
	if n := logs.Len(); n != 1 {
		t.Errorf("%d warnings after %d looks, want 1", n, calls.looks.Load())
	}
	calls.mended.Store(true)
	if p, _ := queued(t, s, key); p.Brought != 1 {
		t.Errorf("it was queued with %d events, want the result of the step", p.Brought)
	}
}

// TestFailedPause: looks that fail come at longer and longer times, as far apart as other looks.
func TestFailedPause(t *testing.T) {
	t.Parallel()
	for fails, want := range map[int]time.Duration{1: time.Second, 2: 2 * time.Second, 4: 8 * time.Second, 5: lookAgain, 1000: lookAgain} {
		if got := failedPause(fails); got != want {
			t.Errorf("after %d: %v, want %v", fails, got, want)
		}
	}
}

// TestLost: a step and a program that are in no queue, and that no process has, are found and made
// again; those that are queued are left alone.
func TestLost(t *testing.T) {
	t.Parallel()
	for _, there := range []bool{false, true} {
		t.Run(fmt.Sprintf("queued %v", there), func(t *testing.T) {
			t.Parallel()
			s, c := opened(t, `{"code":"x"}`)
			w := &waker{Service: s, ends: callbacks.On(s.Queue).WatchEnds()}
			step := *c
			step.ID, step.Tool = "p~1", "echo"
			if there {
				for _, e := range []*call.Call{c, &step} {
					done := make(chan error, 1)
					s.Queue.Calls.Submit(e, func(err error) { done <- err })
					if err := queuetest.Receive(t, done, "acknowledgement"); err != nil {
						t.Fatal(err)
					}
				}
			}
			key := programs.Key{Tenant: c.Tenant, CallID: c.ID}
			p, revision, err := s.Store.Read(t.Context(), key)
			if err != nil {
				t.Fatal(err)
			}
			p.ChangedMS = time.Now().Add(-2 * queuedLong).UnixMilli()
			if _, err := w.find(t.Context(), key, p, revision); err != nil {
				t.Fatal(err)
			}
			if p, _, err := s.Store.Read(t.Context(), key); err != nil || p.Wake > 0 == there {
				t.Errorf("the program is %+v, %v", p, err)
			}
			rec := &queue.Acceptance{Tool: "echo", Pool: "default", AcceptedMS: time.Now().Add(-time.Minute).UnixMilli()}
			lost, err := w.lost(t.Context(), c.Tenant, &protocol.ProgramWait{CallID: "p~1"}, rec, time.Now())
			if lost == there || err != nil {
				t.Errorf("the step is lost: %v, %v", lost, err)
			}
		})
	}
}

// TestProgramInAProgramIsNotLost: a program that waits for a program which waits is not woken, though
// the inner one is in no queue and its acceptance has expired.
func TestProgramInAProgramIsNotLost(t *testing.T) {
	t.Parallel()
	for _, accepted := range []bool{true, false} {
		t.Run(fmt.Sprintf("accepted %v", accepted), func(t *testing.T) {
			t.Parallel()
			s, c := opened(t, `{"code":"x"}`)
			inner := *c
			inner.ID, inner.Parent, inner.AcceptedMS = "p~1", "p", time.Now().Add(-time.Hour).UnixMilli()
			if _, err := s.Begin(t.Context(), &inner, &tool.Definition{Name: RunProgram, Durable: true}); err != nil {
				t.Fatal(err)
			}
			asleep(t, s, &inner, time.Now().Add(time.Hour))
			if accepted {
				rec := queue.Acceptance{Tool: RunProgram, User: "ann", Pool: "default", AcceptedMS: inner.AcceptedMS}
				if _, err := s.Queue.Calls.Accept(t.Context(), c.Tenant, "p~1", rec); err != nil {
					t.Fatal(err)
				}
			}
			key := asleep(t, s, c, time.Time{}, "p~1")
			queuetest.Until(t, "the index has the inner program", func() bool {
				k := s.index.get(programs.Key{Tenant: c.Tenant, CallID: "p~1"})
				return k != nil && k.state == durable.Waiting
			})
			w := &waker{Service: s, ends: callbacks.On(s.Queue).WatchEnds()}
			if next, err := w.wake(t.Context(), key); err != nil || next.IsZero() {
				t.Errorf("wake = %v, %v, want another look", next, err)
			}
			if p, _, err := s.Store.Read(t.Context(), key); err != nil || p.State != durable.Waiting {
				t.Errorf("it is %+v, %v", p, err)
			}
		})
	}
}

// TestManyResultsAreBrought: a program is woken although the results that it waits for are larger
// together than a message: its turn reads those that the waker does not bring.
func TestManyResultsAreBrought(t *testing.T) {
	t.Parallel()
	value, err := json.Marshal(string(make([]byte, 1<<19)))
	if err != nil {
		t.Fatal(err)
	}
	events := []durable.Event{{Step: 1, Value: value}, {Step: 2, Value: value}, {Step: 3, Value: value}}
	if n := fitting(events); n != 1 {
		t.Errorf("%d results of %d bytes are stored together", n, len(value))
	}
	if n := fitting([]durable.Event{{Sleep: 1}, {Sleep: 2}, {Step: 1}}); n != 3 {
		t.Errorf("%d of 3 small events are stored together", n)
	}
	if n := fitting(nil); n != 0 {
		t.Errorf("%d of no events", n)
	}
	s, c := opened(t, `{"code":"x"}`)
	key := asleep(t, s, c, time.Now().Add(time.Hour))
	p, revision, err := s.Store.Read(t.Context(), key)
	if err == nil {
		err = (&waker{Service: s}).requeue(t.Context(), key, p, revision, events)
	}
	if err != nil {
		t.Fatal(err)
	}
	if p, _ := queued(t, s, key); p.Brought != 1 {
		t.Errorf("%d events were brought", p.Brought)
	}
	c.Wake = 1
	if a := turnOf(t, s, c)(peer.ProgramNext, firstStep); a.Again || len(a.Events) == 0 {
		t.Errorf("the turn: %+v", a)
	}
}
