package timers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/x/gopool"
)

// Request is a request about a task to a worker that can read it.
type Request struct {
	// Since is when the dispatcher was able to look at tasks: what was due before may have
	// been missed.
	Since time.Time `json:"since"`
	// Ended are the outcomes of runs that the task does not know. If there are any, nothing
	// else is done.
	Ended []Ended `json:"ended,omitempty"`
}

// Ended is the outcome of a run.
type Ended struct {
	CallID string `json:"call_id"`
	// Error is empty for a success.
	Error string    `json:"error,omitempty"`
	At    time.Time `json:"at"`
}

// Work is the work that a task has now.
type Work struct {
	// Runs are to be made, or have not ended.
	Runs []Run `json:"runs,omitempty"`
	// Wake is when the task is to be looked at again; zero for never.
	Wake time.Time `json:"wake,omitzero"`
	// Refused means that this worker does not answer for the task, and another may.
	Refused bool `json:"refused,omitempty"`
	// Fault is why the worker has no answer.
	Fault string `json:"fault,omitempty"`
}

// Run is a call of a task.
type Run struct {
	CallID    string          `json:"call_id"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Agent     string          `json:"agent,omitempty"`
	Timezone  string          `json:"timezone,omitempty"`
	Low       bool            `json:"low,omitempty"`
	// Due is when the run was to start, Started when it was first made.
	Due     time.Time `json:"due"`
	Started time.Time `json:"started"`
	// First is set the first time that the run is returned.
	First bool `json:"first,omitempty"`
}

// taskTries is the number of workers that are requested while they refuse.
const taskTries = 5

// Ask sends a request about a task to a worker of its pool.
func (b *Timers) Ask(ctx context.Context, t Task, r Request) (Work, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return Work{}, err
	}
	for range taskTries {
		var w Work
		reply, err := b.replies.Request(ctx, &nats.Msg{Subject: b.subj.scheduled(t), Data: body})
		if err != nil {
			return Work{}, fmt.Errorf("no worker of pool %s answers for the task: %w", t.Pool, err)
		}
		switch err := json.Unmarshal(reply.Data, &w); {
		case err != nil:
			return Work{}, fmt.Errorf("answer of a worker: %w", err)
		case w.Fault != "":
			return Work{}, fmt.Errorf("a worker could not read or change the task: %.300s", w.Fault)
		case !w.Refused:
			return w, nil
		}
	}
	return Work{}, fmt.Errorf("%w: the workers of pool %s do not answer for its tasks", natsio.ErrUnavailable, t.Pool)
}

// Group is the queue group in which the workers of a pool receive requests about
// tasks.
const Group = "helve-scheduled"

// serveTasks bounds the requests about tasks that a worker answers at a time.
const serveTasks = 64

// ServeTasks answers the requests about tasks of a pool.
func (b *Timers) ServeTasks(ctx context.Context, pool string, answer func(context.Context, Task, Request) (Work, error)) error {
	slots := make(chan struct{}, serveTasks)
	sub, err := b.conn.NATS().QueueSubscribe(b.subj.Of("*", "scheduled", pool, "*", "*"), Group, func(msg *nats.Msg) {
		t, ok := b.subj.task(msg.Subject)
		var r Request
		if !ok || json.Unmarshal(msg.Data, &r) != nil || !natsio.Asked(msg.Reply) {
			return
		}
		slots <- struct{}{}
		b.conn.Go(func() {
			defer func() { <-slots }()
			var work Work
			err := gopool.Catch(func() (err error) {
				work, err = answer(ctx, t, r)
				return err
			})
			if crash, ok := errors.AsType[*gopool.Panic](err); ok {
				b.conn.Log().Error("request about a task crashed", zap.String("task", t.ID), zap.Error(crash))
				err = natsio.ErrCrashed
			}
			if err != nil {
				work = Work{Fault: err.Error()}
			}
			data, err := json.Marshal(work)
			if err == nil {
				err = b.conn.Answer(&nats.Msg{Subject: msg.Reply, Data: data})
			}
			if err != nil {
				b.conn.Log().Warn("dispatcher not answered", zap.Error(err))
			}
		})
	})
	if err != nil {
		return err
	}
	context.AfterFunc(ctx, func() { _ = sub.Unsubscribe() })
	return nil
}
