package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/helve-dev/helve/client"
)

const drainCalls = 100_000

// drain queues calls while no worker runs, and then measures how fast a new worker
// completes them, and its memory meanwhile.
func drain(ctx context.Context, f *fleet) (string, error) {
	total := f.calls(drainCalls)
	if _, err := f.dispatcher(ctx); err != nil {
		return "", err
	}
	first, err := f.worker(ctx) // registers its tools, which remain registered
	if err != nil {
		return "", err
	}
	first.stop()
	results, err := watchResults(f.nats, total)
	if err != nil {
		return "", err
	}
	defer results.close()
	queuing := time.Now()
	call := echoCall()
	call.WaitForWorker = true // it starts when all are queued
	if err := sendTogether(ctx, f.nats, total, 4, call, client.NoWait, queued); err != nil {
		return "", err
	}
	queuedIn := time.Since(queuing)

	worker, err := f.worker(ctx)
	if err != nil {
		return "", err
	}
	began := time.Now()
	memory, err := results.await(ctx, worker)
	if err != nil {
		return "", err
	}
	took := results.last().Sub(began)
	return fmt.Sprintf("%d calls queued at %.0f calls/s, drained at %.0f calls/s in %.2f s; worker RSS at each quarter %s, peak %.0f MiB",
		total, float64(total)/queuedIn.Seconds(), float64(total)/took.Seconds(), took.Seconds(), quarters(memory), slices.Max(memory)), nil
}

// echoCall is a call without side effects that carries the payload.
func echoCall() client.Call {
	return client.Call{Tool: "debug.echo", Arguments: json.RawMessage(fmt.Sprintf(`{"value":%s}`, payload))}
}

// quarters returns the memory at 0, 25, 50, 75 and 100 % of the time.
func quarters(memory []float64) string {
	var text []byte
	for i := range 5 {
		if i > 0 {
			text = append(text, '/')
		}
		text = fmt.Appendf(text, "%.0f", memory[i*(len(memory)-1)/4])
	}
	return string(text)
}
