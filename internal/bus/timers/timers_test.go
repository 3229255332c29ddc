package timers_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/bus/timers"
)

var someTask = timers.Task{Tenant: "acme", Pool: "default", Person: "ann", ID: "k3f9"}

// due starts to look at what is due, and returns what was looked at.
func due(t *testing.T, qs ...*queue.Queue) <-chan timers.Task {
	t.Helper()
	looked := make(chan timers.Task, 100)
	for _, q := range qs {
		err := q.Timers.ServeDue(queuetest.Context(t), q.Prepare, func(_ context.Context, task timers.Task) error {
			looked <- task
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return looked
}

// TestTimerOfATask: a timer that a worker requests fires at one of the dispatchers, once,
// and a second one in the same second is the same timer.
func TestTimerOfATask(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	one, two, worker := queuetest.Connect(t, srv), queuetest.Connect(t, srv), queuetest.Connect(t, srv)
	if err := errors.Join(one.Timers.ServeArm(), two.Timers.ServeArm()); err != nil {
		t.Fatal(err)
	}
	looked := due(t, one, two)
	later := someTask
	later.ID = "later"
	ctx, soon := queuetest.Context(t), time.Now().Truncate(time.Second).Add(1100*time.Millisecond)
	for task, at := range map[timers.Task]time.Time{later: soon.Add(time.Hour), someTask: soon} {
		for range 2 {
			if err := worker.Timers.Arm(ctx, task, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := queuetest.Receive(t, looked, "task that is due"); got != someTask || time.Now().Before(soon) {
		t.Errorf("%v is looked at, want %v from %v on", got, someTask, soon)
	}
	past := someTask
	past.ID = "past"
	if err := worker.Timers.Arm(ctx, past, time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	if got := queuetest.Receive(t, looked, "task that was due"); got != past {
		t.Errorf("%v is looked at, want %v and nothing twice", got, past)
	}
}

// TestALookIsRepeated: a look that fails happens again.
func TestALookIsRepeated(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	looks := make(chan int, 10)
	n := 0
	err := q.Timers.ServeDue(queuetest.Context(t), q.Prepare, func(context.Context, timers.Task) error {
		n++
		looks <- n
		if n == 1 {
			return errors.New("not now")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Timers.Set(queuetest.Context(t), someTask, time.Now()); err != nil {
		t.Fatal(err)
	}
	queuetest.Receive(t, looks, "first look")
	if got := queuetest.Receive(t, looks, "second look"); got != 2 {
		t.Errorf("look %d, want the second", got)
	}
}

func TestNamesOfTasks(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	for _, task := range []timers.Task{
		{}, {Tenant: "acme", Pool: "default", Person: "*", ID: "x"}, {Tenant: "acme", Pool: "default", Person: "ann", ID: "a.b"},
		{Tenant: "acme", Pool: ">", Person: "ann", ID: "x"},
	} {
		if err := q.Timers.Set(queuetest.Context(t), task, time.Now()); err == nil {
			t.Errorf("%q has a timer", task)
		}
	}
}

// TestForgetTimers: the timers of one person go, and those of others stay.
func TestForgetTimers(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	ctx := queuetest.Context(t)
	other := someTask
	other.Person = "ben"
	for _, task := range []timers.Task{someTask, other} {
		for _, in := range []time.Duration{-time.Second, time.Hour, 100 * time.Hour} {
			if err := q.Timers.Set(ctx, task, time.Now().Add(in)); err != nil {
				t.Fatal(err)
			}
		}
	}
	left := func() uint64 {
		s, err := q.Conn.JetStream().Stream(ctx, streams.Schedules)
		if err != nil {
			t.Fatal(err)
		}
		return s.CachedInfo().State.Msgs
	}
	queuetest.Until(t, "the late timers fired", func() bool { return left() == 6 })
	if err := q.Timers.Forget(ctx, someTask.Tenant, someTask.Person); err != nil || left() != 3 {
		t.Errorf("%d messages are left: %v, want those of ben", left(), err)
	}
	if err := q.Timers.ForgetTask(ctx, other); err != nil || left() != 0 {
		t.Errorf("%d messages are left: %v", left(), err)
	}
	if err := q.Timers.ForgetTask(ctx, timers.Task{Tenant: "acme", Pool: "default", Person: "*", ID: ">"}); err == nil {
		t.Error("a task of no name is forgotten")
	}
}

// TestTimerIsSetAgain: setting the timer of a task again, however often, adds none, also
// for a task that is due in months.
func TestTimerIsSetAgain(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	ctx := queuetest.Context(t)
	for _, at := range []time.Time{time.Now().Add(time.Hour), time.Now().Add(1000 * time.Hour), time.Now().Add(1001 * time.Hour)} {
		for range 3 {
			if err := q.Timers.Set(ctx, someTask, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	s, err := q.Conn.JetStream().Stream(ctx, streams.Schedules)
	if err != nil || s.CachedInfo().State.Msgs > 3 { // 3 if a minute before its time of day passed meanwhile
		t.Errorf("%d timers, want 2: %v", s.CachedInfo().State.Msgs, err)
	}
}
