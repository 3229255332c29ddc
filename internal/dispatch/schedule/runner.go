// Package schedule makes the calls of scheduled tasks when they are due.
//
// # Data flow
//
// A timer of the server fires, and one dispatcher receives it. It asks a worker that can
// read the task which runs there are; the worker commits them, and the next time of the
// task, before it answers. The dispatcher sets the timer for that next time, makes each run
// as an ordinary call in the person's name, and has the worker store the outcomes that are
// known. A run that has not ended is looked at again later, by another timer. Only then is
// the fired timer acknowledged: after a kill at any point another dispatcher begins again.
//
// Timers that are gone are made again from the tasks, by a [Sweeper].
//
// # What it promises
//
// Each due time of a task makes one call, because its call_id follows from both. The call
// passes the same checks as any other of that person and agent at that time.
//
// # What it does not promise
//
// That a run begins at its time while no dispatcher or no worker with the store is there;
// the task's policy for missed runs decides then.
package schedule

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/timers"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/internal/policy"
	"github.com/helve-dev/helve/internal/x/failpoint"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Options are the surroundings of a Runner.
type Options struct {
	Queue *queue.Queue
	// Execute makes calls; it is [dispatch.Dispatcher.Execute].
	Execute func(context.Context, dispatch.Request) (dispatch.Response, error)
	// Restored is called when the timers may be gone: the server came back without its data.
	Restored func()
	Metrics  interface {
		ScheduleMade(late time.Duration)
		ScheduleEnded(outcome string)
	}
	Log *zap.Logger
}

// Runner makes the calls of tasks whose timers fire. Any number of them share the work.
type Runner struct {
	Options
	logged atomic.Int64 // when a task that could not be read was logged last, in Unix seconds
}

const (
	// wait is the time to wait for the outcome of a run. A run that takes longer is looked
	// at again, so that slow runs of some tasks do not keep others from being made.
	wait = time.Second
	// ask bounds a request to a worker.
	ask = 15 * time.Second
	// away is the pause before a task is looked at again that no worker can read now.
	away = 5 * time.Second
	// soonest and latest bound the pause before a run is looked at again.
	soonest = 2 * time.Second
	latest  = 5 * time.Minute
	// logEvery is the least time between two log lines about unreadable tasks.
	logEvery = 10 * time.Second
)

// Start makes the calls of tasks that are due, and stores timers for workers, until ctx
// ends.
func Start(ctx context.Context, o Options) error {
	r := &Runner{Options: o}
	if err := o.Queue.Timers.ServeArm(); err != nil {
		return err
	}
	restore := func(ctx context.Context) error {
		defer o.Restored()
		return o.Queue.Restore(ctx)
	}
	return o.Queue.Timers.ServeDue(ctx, restore, r.look)
}

// look does the work that a task has now. It fails if the work is to be done again.
func (r *Runner) look(ctx context.Context, t timers.Task) error {
	if err := failpoint.Hit(failpoint.ScheduleFired); err != nil {
		return err
	}
	since := r.Queue.Conn.ConnectedSince()
	if since.IsZero() {
		return fmt.Errorf("task %s: nats is not connected", t.ID)
	}
	bounded, cancel := context.WithTimeout(ctx, ask)
	defer cancel()
	work, err := r.Queue.Timers.Ask(bounded, t, timers.Request{Since: since})
	if err != nil {
		return r.postpone(ctx, t, err)
	}
	if err := failpoint.Hit(failpoint.ScheduleClaimed); err != nil {
		return err
	}
	if !work.Wake.IsZero() {
		if err := r.Queue.Timers.Set(ctx, t, work.Wake); err != nil {
			return err
		}
	}
	if len(work.Runs) == 0 {
		return nil
	}
	ended, again, err := r.run(ctx, t, work.Runs)
	if err != nil {
		return err
	}
	if err := failpoint.Hit(failpoint.ScheduleMade); err != nil {
		return err
	}
	if again > 0 {
		if err := r.Queue.Timers.Set(ctx, t, time.Now().Add(again)); err != nil {
			return err
		}
	}
	return r.end(ctx, t, ended)
}

// postpone has a task looked at later that no worker can read now.
func (r *Runner) postpone(ctx context.Context, t timers.Task, reason error) error {
	now := time.Now()
	if last := r.logged.Load(); now.Unix()-last >= int64(logEvery/time.Second) && r.logged.CompareAndSwap(last, now.Unix()) {
		r.Log.Warn("scheduled task not read; trying again",
			zap.String("tenant", t.Tenant), zap.String("task", t.ID), zap.Duration("in", away), zap.Error(reason))
	}
	return r.Queue.Timers.Set(ctx, t, now.Add(away))
}

// run makes the runs of a task, and returns the outcomes that are known. If there are
// others, the task is to be looked at again after some time.
func (r *Runner) run(ctx context.Context, t timers.Task, runs []timers.Run) (ended []timers.Ended, again time.Duration, err error) {
	req := dispatch.Request{Tenant: t.Tenant, User: t.Person, Conversation: "schedule-" + t.ID, Via: string(policy.Schedule), Wait: wait}
	if req.User == nobody {
		req.User = ""
	}
	now := time.Now()
	made := make([]timers.Run, 0, len(runs))
	for _, run := range runs {
		if why := refusal(t, run); why != "" {
			ended = append(ended, timers.Ended{CallID: run.CallID, Error: why, At: now.UTC()})
			continue
		}
		made = append(made, run)
		call := dispatch.Call{Call: call.Call{ID: run.CallID, Tool: run.Tool, Arguments: jsontext.Value(run.Arguments), Waits: true}}
		if run.Low {
			call.Priority = protocol.PriorityBatch
		}
		req.Calls = append(req.Calls, call)
		if run.First {
			r.Metrics.ScheduleMade(now.Sub(run.Due))
		}
	}
	if len(made) == 0 {
		return ended, 0, nil
	}
	req.Agent, req.Timezone = made[0].Agent, made[0].Timezone
	res, err := r.Execute(ctx, req)
	if err != nil {
		return nil, 0, err
	}
	now = time.Now().UTC()
	for i, element := range res.Results {
		out, done, err := outcome(element)
		if err != nil {
			return nil, 0, err
		}
		if done {
			ended = append(ended, timers.Ended{CallID: made[i].CallID, Error: out, At: now})
			continue
		}
		pause := min(max(now.Sub(made[i].Started), soonest), latest)
		again = cmp.Or(min(again, pause), pause)
	}
	return ended, again, nil
}

// nobody is the person of tasks without a user.
const nobody = "_"

// outcome returns the error of a call that ended, empty for a success; done is false for a
// call that has not ended, or was not accepted and is to be sent again.
func outcome(element []byte) (failure string, done bool, err error) {
	var el struct {
		Status    string `json:"status"`
		ErrorType string `json:"error_type"`
		Message   string `json:"message"`
		Attempt   int    `json:"attempt"`
	}
	if err := json.Unmarshal(element, &el); err != nil {
		return "", false, fmt.Errorf("element of a result: %w", err)
	}
	switch el.Status {
	case protocol.StatusSuccess:
		return "", true, nil
	case protocol.StatusPending:
		return "", false, nil
	}
	if el.Attempt == 0 {
		if kind := tool.Kind(el.ErrorType); kind == tool.Overloaded || kind == tool.RateLimited || kind == tool.Internal {
			return "", false, nil
		}
	}
	return el.ErrorType + ": " + el.Message, true, nil
}

// end has a worker store outcomes.
func (r *Runner) end(ctx context.Context, t timers.Task, ended []timers.Ended) error {
	if len(ended) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, ask)
	defer cancel()
	if _, err := r.Queue.Timers.Ask(ctx, t, timers.Request{Ended: ended}); err != nil {
		return r.postpone(ctx, t, err)
	}
	for _, e := range ended {
		outcome := protocol.StatusSuccess
		if e.Error != "" {
			outcome = protocol.StatusError
		}
		r.Metrics.ScheduleEnded(outcome)
	}
	return nil
}
