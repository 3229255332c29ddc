package bench

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/helve-dev/helve/client"
)

// batchSize is the number of calls in one request.
const batchSize = 1000

// sendTogether sends total calls in requests of batchSize, some concurrently, and
// returns when all are answered. judge checks each result.
func sendTogether(
	ctx context.Context, url string, total, atOnce int, call client.Call, wait time.Duration, judge func(client.Result) error,
) error {
	c, err := client.New(url)
	if err != nil {
		return err
	}
	defer c.Close()
	return sendBy(ctx, c, total, atOnce, call, wait, judge)
}

// sendBy is sendTogether with an existing client.
func sendBy(
	ctx context.Context, c *client.Client, total, atOnce int, call client.Call, wait time.Duration, judge func(client.Result) error,
) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var requests sync.WaitGroup
	room := make(chan struct{}, atOnce)
	for left := total; left > 0 && ctx.Err() == nil; left -= batchSize {
		room <- struct{}{}
		requests.Go(func() {
			defer func() { <-room }()
			if err := send(ctx, c, min(left, batchSize), call, wait, judge); err != nil {
				stop(err)
			}
		})
	}
	requests.Wait()
	return context.Cause(ctx)
}

func send(ctx context.Context, c *client.Client, n int, call client.Call, wait time.Duration, judge func(client.Result) error) error {
	calls := make([]client.Call, n)
	for i := range calls {
		calls[i] = call
	}
	resp, err := c.Execute(ctx, client.Request{Calls: calls, Wait: wait})
	if err != nil {
		return err
	}
	for _, r := range resp.Results {
		if err := judge(r); err != nil {
			return err
		}
	}
	return nil
}

// succeeded accepts a call that ended in success.
func succeeded(r client.Result) error { return r.Err() }

// queued accepts a call that is queued.
func queued(r client.Result) error {
	switch err := r.Err(); {
	case errors.Is(err, client.ErrPending):
		return nil
	case err != nil:
		return fmt.Errorf("a call was not queued: %w", err)
	}
	return errors.New("a call has ended although no worker runs")
}

// newTrace returns a trace id.
func newTrace() string {
	id := make([]byte, 16)
	_, _ = rand.Read(id) // it never fails
	return hex.EncodeToString(id)
}
