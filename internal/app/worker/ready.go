package worker

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/queue"
	"github.com/helve-dev/helve/internal/telemetry"
)

// starting makes the process not ready until its worker takes calls. It returns the options
// of the worker's connection, which name it, and a wrapper of the function that is called
// then.
func starting(cfg config.Config, kit *telemetry.Kit) (options queue.Options, takes func(func(id string)) func(id string)) {
	options = queue.FromConfig(cfg, "worker", kit.Log)
	options.State = kit.Metrics.Connected
	options.Kept = kit.Metrics.StreamKept
	options.Failed = func(cause string) { kit.Metrics.Count(telemetry.NATSErrors, cause) }
	var begun atomic.Bool
	kit.Health.Add("worker "+options.ID, func(context.Context) error {
		if !begun.Load() {
			return errors.New("the worker is starting")
		}
		return nil
	})
	return options, func(ready func(id string)) func(id string) {
		return func(id string) {
			begun.Store(true)
			ready(id)
		}
	}
}
