package worker

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/timers"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/toolbox"
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
		return tool.Fail(tool.NotConfigured,
			"scheduled tasks cannot be used with workers that have an account of their own in NATS: their tasks could not be read when they are "+
				"due. Ask the "+
				"operator to run the workers of pool %s with a credential of \"helve nats-auth server --pools\" without --apart (docs/nats-auth.md)",
			s.job.Definition().Pool)
	}
	task := timers.Task{Tenant: s.job.Tenant, Pool: s.w.placement.poolOf(s.job.Entry().Tool), Person: cmp.Or(s.job.User, nobody), ID: id}
	err := s.w.queue.Timers.Arm(ctx, task, at)
	if errors.Is(err, natsio.ErrUnavailable) {
		return tool.Fail(tool.Overloaded,
			"the task could not be scheduled because no dispatcher answers; nothing was changed; try again").Because(err)
	}
	return err
}

// serveTasks answers for the scheduled tasks that this worker can read, until life ends.
func (w *Worker) serveTasks(life context.Context, m machine) error {
	tasks := m.tasks()
	if w.queue.Conn.Apart() || tasks == nil {
		return nil
	}
	for pool := range w.pools {
		err := w.queue.Timers.ServeTasks(life, pool, func(ctx context.Context, t timers.Task, r timers.Request) (timers.Work, error) {
			if apart := w.placement.apart[pool]; w.placement.ownStore && apart != nil && apart.Load() {
				return timers.Work{Refused: true}, nil
			}
			if t.Person == nobody {
				t.Person = ""
			}
			return tasks.Task(ctx, t, r)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// tasks returns the part that keeps scheduled tasks; nil if there is none.
func (m machine) tasks() toolbox.Tasks {
	for _, p := range m {
		if t, ok := p.ports.(toolbox.Tasks); ok {
			return t
		}
	}
	return nil
}
