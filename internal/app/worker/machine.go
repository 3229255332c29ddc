package worker

import (
	"context"

	"github.com/helve-dev/helve/internal/ports/tracedport"
	"github.com/helve-dev/helve/internal/toolbox"
)

// attach adds the tools of the parts to a worker that takes no calls yet.
func (w *Worker) attach(ctx context.Context, list []toolbox.Part) error {
	host := toolbox.Host{
		Worker: w.ID(), Config: w.cfg, Queue: w.queue, Log: w.kit.Log, Metrics: w.kit.Metrics, Tools: w.tools, Report: w.loads.report,
	}
	if w.kit.Tracing.Enabled() {
		host.TraceMCP = tracedport.MCP(w.cfg.Telemetry.TraceHosts)
	}
	for _, part := range list {
		if part.Attach == nil {
			continue
		}
		a, err := part.Attach(ctx, host)
		if err != nil {
			return err
		}
		w.attached = append(w.attached, a)
		w.tools.Attach(a)
	}
	return nil
}

// follow registers the tools of the parts, again whenever they change, until life ends.
func (w *Worker) follow(life context.Context) error {
	if err := w.openLoads(life); err != nil {
		return err
	}
	for _, a := range w.attached {
		if a.Follow != nil {
			if err := a.Follow(life); err != nil {
				return err
			}
		}
	}
	return nil
}

// detach closes the parts.
func (w *Worker) detach() {
	for _, a := range w.attached {
		if a.Close != nil {
			a.Close()
		}
	}
}
