package dispatcher

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/audit/trail"
	"github.com/helve-dev/helve/internal/bus/callbacks"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/internal/dispatch/callback"
	"github.com/helve-dev/helve/internal/identity/keysync"
	"github.com/helve-dev/helve/internal/identity/vault"
	"github.com/helve-dev/helve/internal/ports/netguard"
	"github.com/helve-dev/helve/internal/telemetry"
)

// callbackLease is the name of the lease of the dispatcher that sends callbacks.
const callbackLease = "callbacks"

func openCallbacks(cfg config.Config, q *queue.Queue, keys vault.Wrapper) *callback.Service {
	return &callback.Service{Store: callbacks.On(q), Hosts: cfg.Callbacks.AllowedHosts, Keys: keys, MaxWaiting: cfg.Callbacks.MaxWaiting}
}

// startCallbacks sends callbacks while this process has the lease, until life ends. The
// returned function waits until it has stopped.
func startCallbacks(
	life context.Context, cfg config.Config, kit *telemetry.Kit, s *callback.Service, d *dispatch.Dispatcher, t trail.Writer,
) (wait func(), err error) {
	guard, err := netguard.New(netguard.Options{}) // the sender opens the host of each callback
	if err != nil {
		return nil, err
	}
	keys, err := signingKeys(cfg, keysync.Seal)
	if err != nil {
		return nil, err
	}
	sender := &callback.Sender{
		Service: s, Outcome: d.Outcome, Alive: d.LivesOn, HTTP: guard, Key: keys.Signing, Trail: t, Metrics: kit.Metrics, Log: kit.Log,
		RetryFor: streams.CallbackRetry, Timeout: callback.Timeout, Dials: t.Queue.Conn.Dials,
	}
	stop := kit.Metrics.Read(func(set telemetry.Set) {
		calls, results, oldest := sender.Waiting()
		set(telemetry.CallbacksWaiting, float64(calls), string(callbacks.Waits))
		set(telemetry.CallbacksWaiting, float64(results), string(callbacks.Due))
		lag := 0.0
		if !oldest.IsZero() {
			lag = max(0, time.Since(oldest).Seconds())
		}
		set(telemetry.CallbackLag, lag)
	})
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer guard.Close()
		defer stop()
		if err := t.Queue.Conn.Lease(life, callbackLease, callback.LeaseTTL, sender.Run); err != nil && life.Err() == nil {
			kit.Log.Error("sending of callbacks stopped", zap.Error(err))
		}
	}()
	return func() { <-done }, nil
}
