package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/helve-dev/helve/client"
)

const (
	sleeperCalls = 10_000
	sleeperSlots = "2000"
)

// sleepers measures the cost of waiting: calls that only sleep, on one worker with many
// slots.
func sleepers(ctx context.Context, f *fleet) (string, error) {
	total := f.calls(sleeperCalls)
	if _, err := f.dispatcher(ctx); err != nil {
		return "", err
	}
	worker, err := f.worker(ctx, "--slots", sleeperSlots)
	if err != nil {
		return "", err
	}
	before, err := worker.usage(ctx)
	if err != nil {
		return "", err
	}
	began := time.Now()
	nap := client.Call{Tool: "debug.sleep", Arguments: json.RawMessage(`{"ms":1000}`)}
	if err := sendTogether(ctx, f.nats, total, 1+total/batchSize, nap, 2*time.Minute, succeeded); err != nil {
		return "", err
	}
	took := time.Since(began)
	after, err := worker.usage(ctx)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d calls of 1 s on one worker with %s slots ended in %.2f s; worker CPU %.2f s, RSS %d MiB",
		total, sleeperSlots, took.Seconds(), (after.CPU-before.CPU)/1e6, after.RSS>>20), nil
}
