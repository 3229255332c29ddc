package adapters

import (
	"context"
	"errors"
	"fmt"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/execution"
)

// delivery is a call from the queue. It implements [execution.Delivery].
type delivery struct{ *queue.Delivery }

// Take passes a delivered call to an executor.
func Take(calls *execution.Executor, d *queue.Delivery) {
	calls.Take(&execution.Call{
		Call: d.Call, Received: d.Taken(), Queued: d.Queued(), Attempt: d.Attempt, Direct: d.Direct(),
	}, delivery{d})
}

// LoadArguments implements [execution.Delivery].
func (d delivery) LoadArguments(ctx context.Context) error {
	err := d.Delivery.LoadArguments(ctx)
	if errors.Is(err, natsio.ErrNoObject) {
		err = fmt.Errorf("%w: %w", execution.ErrGone, err)
	}
	return err
}

// WaitLane implements [execution.Delivery].
func (d delivery) WaitLane() string { return d.Delivery.Home() }
