package personal

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/timers"
	"github.com/helve-dev/helve/internal/toolbox"
	"github.com/helve-dev/helve/tool"
)

// nobody stands for calls without a user in the names of tasks.
const nobody = "_"

// Schedules implements [tool.Schedules] for a job.
type Schedules struct {
	Catalog toolbox.AgentCatalog // as the agent of the job sees it
	Queue   *queue.Queue
	// PoolOf returns the pool of a tool on this worker.
	PoolOf func(*tool.Tool) string
}

// Check implements [tool.Schedules].
func (s Schedules) Check(_ context.Context, name string, args json.RawMessage) (*tool.Definition, error) {
	return s.Catalog.Check(name, args)
}

// LookAt implements [tool.Schedules].
func (s Schedules) LookAt(ctx context.Context, id string, at time.Time) error {
	job := s.Catalog.Job
	if s.Queue.Conn.Apart() {
		return tool.Fail(tool.NotConfigured,
			"scheduled tasks cannot be used with workers that have an account of their own in NATS: their tasks could not be read when they are "+
				"due. Ask the "+
				"operator to run the workers of pool %s with a credential of \"helve nats-auth server --pools\" without --apart (docs/nats-auth.md)",
			job.Definition().Pool)
	}
	task := timers.Task{Tenant: job.Tenant, Pool: s.PoolOf(job.Entry().Tool), Person: cmp.Or(job.User, nobody), ID: id}
	err := s.Queue.Timers.Arm(ctx, task, at)
	if errors.Is(err, natsio.ErrUnavailable) {
		return tool.Fail(tool.Overloaded,
			"the task could not be scheduled because no dispatcher answers; nothing was changed; try again").Because(err)
	}
	return err
}

// serveTasks answers for the scheduled tasks that this worker can read, until life ends.
func (s *Server) serveTasks(life context.Context) error {
	if s.Tasks == nil {
		return nil
	}
	for _, pool := range s.Pools {
		err := s.Queue.Timers.ServeTasks(life, pool, func(ctx context.Context, t timers.Task, r timers.Request) (timers.Work, error) {
			if s.Apart(pool) {
				return timers.Work{Refused: true}, nil
			}
			if t.Person == nobody {
				t.Person = ""
			}
			return s.Tasks.Task(ctx, t, r)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
