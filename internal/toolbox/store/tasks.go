package store

import (
	"context"
	"time"

	"github.com/helve-dev/helve/internal/bus/timers"
	"github.com/helve-dev/helve/internal/tools/personal/scheduler"
	"github.com/helve-dev/helve/tool"
)

// taskTime bounds what is done for one request about a task.
const taskTime = 10 * time.Second

// Task implements [toolbox.Tasks].
func (p ports) Task(ctx context.Context, t timers.Task, r timers.Request) (work timers.Work, err error) {
	ctx, cancel := context.WithTimeout(ctx, taskTime)
	defer cancel()
	err = p.change(ctx, t.Tenant, t.Person, func(s tool.Store) error {
		if len(r.Ended) > 0 {
			ended := make([]scheduler.Ended, len(r.Ended))
			for i, e := range r.Ended {
				ended[i] = scheduler.Ended(e)
			}
			return scheduler.End(ctx, s, t.ID, ended)
		}
		due, err := scheduler.Claim(ctx, s, t.ID, time.Now().UTC(), r.Since)
		work = timers.Work{Wake: due.Wake}
		for _, run := range due.Runs {
			work.Runs = append(work.Runs, timers.Run(run))
		}
		return err
	})
	return work, err
}
