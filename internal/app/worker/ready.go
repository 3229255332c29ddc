package worker

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/audit/proof"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/identity/keyfile"
	"github.com/helve-dev/helve/internal/identity/keysync"
	"github.com/helve-dev/helve/internal/telemetry"
)

// name is the name of a worker: in the options of its connection, and in the proof of its records.
type name struct {
	options queue.Options
	proof   *proof.Process
}

// starting makes the process not ready until its worker takes calls. It returns the name of the
// worker, and a wrapper of the function that is called then.
func starting(cfg config.Config, kit *telemetry.Kit) (self name, takes func(func(id string)) func(id string), err error) {
	self.proof, err = proof.NewWorker()
	if err != nil {
		return self, nil, err
	}
	options := queue.FromConfig(cfg, "worker", kit.Log)
	options.ID = self.proof.ID()
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
	self.options = options
	return self, func(ready func(id string)) func(id string) {
		return func(id string) {
			begun.Store(true)
			ready(id)
		}
	}, nil
}

// prove makes the worker prove its records to the dispatchers that may seal them, until life ends.
func prove(life context.Context, cfg config.Config, kit *telemetry.Kit, q *queue.Queue, p *proof.Process) error {
	dir := cmp.Or(cfg.Keys.Dir, filepath.Join(cfg.Data, "keys"))
	if !q.Conn.Anonymous() || !keyfile.Exists(dir, keysync.Seal) {
		return keysync.Follow(life, q, keysync.Record, p, kit.Log)
	}
	keys, err := keyfile.LoadSet(dir, keysync.Seal)
	if err != nil {
		return err
	}
	own, err := proof.NewDispatcher(keys.Signing)
	if err != nil {
		return err
	}
	return keysync.FollowOwn(life, q, keysync.Record, p, kit.Log, own.Key())
}
