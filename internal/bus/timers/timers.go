package timers

import (
	"context"
	"fmt"
	"hash/fnv"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/bus/subject"
)

// Timers sets the timers of scheduled tasks, and passes on what is due. A timer is a
// message that the server publishes at its time; it holds no data of the task.
type Timers struct {
	conn    *natsio.Conn
	replies *natsio.ReplyMux // to which both dispatchers and workers may publish
	subj    subjects
}

// New returns the timers on a connection. Replies receives the answers of workers.
func New(conn *natsio.Conn, replies *natsio.ReplyMux) *Timers {
	return &Timers{conn: conn, replies: replies, subj: subjects{conn.Tree()}}
}

// subjects builds and reads the subjects of timers and of requests about tasks.
type subjects struct{ subject.Tree }

// Task names a scheduled task: a row in the store of a person, which the workers of a pool
// can read.
type Task struct{ Tenant, Pool, Person, ID string }

func (t Task) valid() bool {
	return subject.IsName(t.Tenant) && subject.IsName(t.Pool) && subject.IsName(t.Person) && subject.IsName(t.ID)
}

const (
	// timerAhead bounds how far ahead a timer is set. A task that is due later is looked at
	// in between, so that a timer which is no longer needed is gone after this time. The time
	// of day of these looks is the task's own, so that setting the timer again adds none.
	timerAhead = 24 * time.Hour
	// armTimeout is the time for a dispatcher to store a timer.
	armTimeout = 5 * time.Second
)

// timer is the subject of a timer of a task. Two timers in one second are the same.
func (s subjects) timer(t Task, at time.Time) string {
	return s.Of(t.Tenant, "schedule", t.Pool, t.Person, t.ID, strconv.FormatInt(at.Unix(), 10))
}

// due is where the server publishes the timers of a task.
func (s subjects) due(t Task) string { return s.Of(t.Tenant, "due", t.Pool, t.Person, t.ID) }

// arm is where dispatchers receive requests for timers.
func (s subjects) arm(t Task) string { return s.Of(t.Tenant, "arm", t.Pool, t.Person, t.ID) }

// scheduled is where the workers of a pool receive requests about a task.
func (s subjects) scheduled(t Task) string {
	return s.Of(t.Tenant, "scheduled", t.Pool, t.Person, t.ID)
}

// task reads a subject of the functions above.
func (s subjects) task(subject string) (Task, bool) {
	tenant, tokens, ok := s.Split(subject, 5)
	if !ok || len(tokens) < 4 {
		return Task{}, false
	}
	t := Task{tenant, tokens[1], tokens[2], tokens[3]}
	return t, t.valid()
}

// daily returns the next time after now at which a task that is due much later is looked
// at, at least a minute ahead: a time of day that follows from its name.
func (t Task) daily(now time.Time) time.Time {
	h := fnv.New32a()
	_, _ = h.Write([]byte(t.Tenant + "." + t.Person + "." + t.ID)) // it never fails
	at := now.Truncate(timerAhead).Add(time.Duration(h.Sum32()%uint32(timerAhead/time.Second)) * time.Second)
	for at.Before(now.Add(time.Minute)) {
		at = at.Add(timerAhead)
	}
	return at
}

// Set stores a timer: one of the processes of [Timers.ServeDue] looks at the task at
// that time, or in a day if it is later. Only dispatchers may write to the stream, since a
// timer makes the server publish with its own rights.
func (b *Timers) Set(ctx context.Context, t Task, at time.Time) error {
	if !t.valid() {
		return fmt.Errorf("%q is no task that can have a timer", t)
	}
	if now := time.Now(); at.After(now.Add(timerAhead)) {
		at = t.daily(now)
	}
	return b.conn.PublishWait(ctx, &nats.Msg{
		Subject: b.subj.timer(t, at),
		Header: nats.Header{
			"Nats-Schedule":        {"@at " + at.UTC().Format(time.RFC3339Nano)},
			"Nats-Schedule-Target": {b.subj.due(t)},
		},
	})
}

// ServeDue calls look for each task whose timer fired, in one process, until ctx ends. A
// look that fails is repeated, here or elsewhere.
func (b *Timers) ServeDue(ctx context.Context, restore func(context.Context) error, look func(context.Context, Task) error) error {
	return natsio.Shared{
		Conn: b.conn, Stream: streams.Schedules, Name: "helve_due", Filter: b.subj.Of("*", "due", ">"), Restore: restore,
	}.Serve(ctx, func(ctx context.Context, w natsio.Work) error {
		t, ok := b.subj.task(w.Subject)
		if !ok {
			return nil // nothing of this version
		}
		return look(ctx, t)
	})
}

// queueArm is the queue group of dispatchers that store timers.
const queueArm = "helve-arm"

// armed is the reply to a request for a timer that is stored.
const armed = "+OK"

// ServeArm stores the timers that workers request.
func (b *Timers) ServeArm() error {
	_, err := b.conn.NATS().QueueSubscribe(b.subj.Of("*", "arm", "*", "*", "*"), queueArm, func(msg *nats.Msg) {
		t, ok := b.subj.task(msg.Subject)
		at, err := strconv.ParseInt(string(msg.Data), 10, 64)
		if !ok || err != nil || !natsio.Asked(msg.Reply) {
			return
		}
		b.conn.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), armTimeout)
			defer cancel()
			answer := armed
			if err := b.Set(ctx, t, time.UnixMilli(at)); err != nil {
				answer = err.Error()
			}
			if err := b.conn.Answer(&nats.Msg{Subject: msg.Reply, Data: []byte(answer)}); err != nil {
				b.conn.Log().Warn("worker not answered", zap.Error(err))
			}
		})
	})
	return err
}

// Arm has a dispatcher store a timer, and returns when it is stored.
func (b *Timers) Arm(ctx context.Context, t Task, at time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, armTimeout)
	defer cancel()
	reply, err := b.conn.Request(ctx, &nats.Msg{Subject: b.subj.arm(t), Data: strconv.AppendInt(nil, at.UnixMilli(), 10)})
	if err != nil {
		return fmt.Errorf("no dispatcher stores the timer: %w", err)
	}
	if text := string(reply.Data); text != armed {
		return fmt.Errorf("%w: the timer was not stored: %.200s", natsio.ErrUnavailable, text)
	}
	return nil
}

// Forget removes the timers of a person's tasks, and what of them is due.
func (b *Timers) Forget(ctx context.Context, tenant, person string) error {
	t := Task{tenant, "*", person, "*"}
	return natsio.Purge(ctx, b.conn, streams.Schedules, b.subj.Of(tenant, "schedule", t.Pool, t.Person, t.ID, "*"), b.subj.due(t))
}

// ForgetTask removes the timers of a task, and what of it is due.
func (b *Timers) ForgetTask(ctx context.Context, t Task) error {
	if !t.valid() {
		return fmt.Errorf("%q is no task that can have a timer", t)
	}
	return natsio.Purge(ctx, b.conn, streams.Schedules, b.subj.Of(t.Tenant, "schedule", t.Pool, t.Person, t.ID, "*"), b.subj.due(t))
}
