package worker

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/natsio"
	"github.com/helve-dev/helve/internal/queue"
	"github.com/helve-dev/helve/internal/toolbox"
	"github.com/helve-dev/helve/internal/tools/personal/scheduler"
	"github.com/helve-dev/helve/tool"
)

// nobody stands for calls without a user in the names of tasks.
const nobody = "_"

// schedules implements [tool.Schedules] for a job.
type schedules struct {
	w   *Worker
	job *engine.Job
}

// Check implements [tool.Schedules].
func (s schedules) Check(_ context.Context, name string, args json.RawMessage) (*tool.Definition, error) {
	return toolbox.AgentCatalog{All: s.w.catalogue, Agents: s.w.agents, Job: s.job}.Check(name, args)
}

// LookAt implements [tool.Schedules].
func (s schedules) LookAt(ctx context.Context, id string, at time.Time) error {
	if s.w.queue.Conn.Apart() {
		return tool.Fail(tool.NotConfigured, "scheduled tasks cannot be used with workers that have an account of their own in NATS: their tasks could not be read when they are due. Ask the operator to run the workers of pool %s with a credential of \"helve nats-auth server --pools\" without --apart (docs/nats-auth.md)", s.job.Definition().Pool)
	}
	task := queue.Task{Tenant: s.job.Tenant, Pool: s.w.placement.poolOf(s.job.Entry().Tool), Person: cmp.Or(s.job.User, nobody), ID: id}
	err := s.w.queue.Scheduled.Arm(ctx, task, at)
	if errors.Is(err, natsio.ErrUnavailable) {
		return tool.Fail(tool.Overloaded, "the task could not be scheduled because no dispatcher answers; nothing was changed; try again").Because(err)
	}
	return err
}

// serveTasks answers for the scheduled tasks that this worker can read, until life ends.
func (w *Worker) serveTasks(life context.Context, m machine) error {
	if w.queue.Conn.Apart() || m.committer() == nil {
		return nil
	}
	for pool := range w.pools {
		err := w.queue.Scheduled.ServeTasks(life, pool, func(ctx context.Context, t queue.Task, r queue.TaskRequest) (queue.TaskWork, error) {
			if apart := w.placement.apart[pool]; w.placement.ownStore && apart != nil && apart.Load() {
				return queue.TaskWork{Refused: true}, nil
			}
			return taskWork(ctx, m, t, r)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// taskTime bounds what is done for one request about a task.
const taskTime = 10 * time.Second

// taskWork answers a request about a task.
func taskWork(ctx context.Context, m machine, t queue.Task, r queue.TaskRequest) (work queue.TaskWork, err error) {
	ctx, cancel := context.WithTimeout(ctx, taskTime)
	defer cancel()
	err = m.change(ctx, t.Tenant, t.Person, func(s tool.Store) error {
		if len(r.Ended) > 0 {
			ended := make([]scheduler.Ended, len(r.Ended))
			for i, e := range r.Ended {
				ended[i] = scheduler.Ended(e)
			}
			return scheduler.End(ctx, s, t.ID, ended)
		}
		due, err := scheduler.Claim(ctx, s, t.ID, time.Now().UTC(), r.Since)
		work = queue.TaskWork{Wake: due.Wake}
		for _, run := range due.Runs {
			work.Runs = append(work.Runs, queue.TaskRun(run))
		}
		return err
	})
	return work, err
}

// change changes the data of a person outside a call, and commits it. Do is called again
// if what it read was changed meanwhile.
func (m machine) change(ctx context.Context, tenant, person string, do func(tool.Store) error) error {
	call := &tool.Call{Tenant: tenant, User: person, Attempt: 1}
	if person == nobody {
		call.User = ""
	}
	if err := m.fill(call, tool.NeedStore, nil); err != nil {
		return err
	}
	unit, ok := call.Store.(engine.Work)
	if !ok {
		return errors.New("this worker has no store")
	}
	const tries = 6
	var err error
	for range tries {
		unit.Reset()
		if err = do(call.Store); err != nil {
			return err
		}
		if _, err = unit.Commit(ctx, tool.Result{Value: json.RawMessage("null")}); !errors.Is(err, engine.ErrStale) {
			return err
		}
	}
	return err
}
