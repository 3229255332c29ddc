package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/helve-dev/helve/client"
)

const (
	// bystanders is the number of callers that continue while a worker is killed.
	bystanders = 8
	// killWarmUp is the time for which they call before that.
	killWarmUp = 500 * time.Millisecond
)

// kill kills a worker during an idempotent call, and measures when another worker has
// completed that call and how long other calls took meanwhile.
func kill(ctx context.Context, f *fleet) (string, error) {
	took, attempt, others, err := killAmong(ctx, f)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("a call of 500 ms whose worker was killed was done after %.2f s, on attempt %d; "+
		"meanwhile the slowest of %d other calls under way took %.2f s, of %d calls sent after its death %.3f s",
		took.Seconds(), attempt, others.across.calls, others.across.slowest.Seconds(), others.after.calls, others.after.slowest.Seconds()), nil
}

// killAmong kills one of two workers while callers continue. It returns when the call of
// that worker was done.
func killAmong(ctx context.Context, f *fleet) (took time.Duration, attempt int, others *crossing, err error) {
	if _, err := f.dispatcher(ctx); err != nil {
		return 0, 0, nil, err
	}
	workers := map[string]*node{}
	for range 2 {
		n, err := f.worker(ctx)
		if err != nil {
			return 0, 0, nil, err
		}
		workers[n.ready["worker"]] = n
	}
	c, err := client.New(f.nats)
	if err != nil {
		return 0, 0, nil, err
	}
	defer c.Close()
	others = &crossing{}
	busy, stop := context.WithCancel(ctx)
	defer stop()
	var callers sync.WaitGroup
	for range bystanders {
		callers.Go(func() { others.keepCalling(busy, c) })
	}
	wait(ctx, killWarmUp)
	took, attempt, err = killOne(ctx, c, workers, others)
	stop()
	callers.Wait()
	return took, attempt, others, errors.Join(err, others.wrong)
}

// killOne makes a call, kills the worker that has started it, and waits for its result.
func killOne(
	ctx context.Context, c *client.Client, workers map[string]*node, others *crossing,
) (took time.Duration, attempt int, err error) {
	type answer struct {
		result client.Result
		err    error
	}
	trace, done := newTrace(), make(chan answer, 1)
	go func() {
		r, err := c.Call(ctx, "debug.sleep", json.RawMessage(`{"ms":500}`), client.TraceID(trace))
		done <- answer{r, err}
	}()
	name, err := startedBy(ctx, c, trace)
	if err != nil {
		return 0, 0, err
	}
	victim := workers[name]
	if victim == nil {
		return 0, 0, fmt.Errorf("the call was started by %q, which is none of our workers", name)
	}
	began := time.Now()
	victim.kill()
	victim.stop() // returns when it is dead: until then it may receive more calls
	others.cross(time.Now())
	got := <-done
	return time.Since(began), got.result.Attempt, got.err
}

// startedBy waits until a call of the trace has started and returns its worker.
func startedBy(ctx context.Context, c *client.Client, trace string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	for event, err := range c.Events(ctx, trace) {
		if err != nil {
			return "", err
		}
		if event.Type != "started" {
			continue
		}
		var data struct {
			Worker string `json:"worker"`
		}
		return data.Worker, json.Unmarshal(event.Data, &data)
	}
	return "", errors.New("no event said that the call had started")
}

// crossing times calls around one moment.
type crossing struct {
	mu     sync.Mutex
	moment time.Time
	across slowest // sent before the moment, completed after it
	after  slowest
	wrong  error
}

type slowest struct {
	calls   int
	slowest time.Duration
}

func (s *slowest) add(d time.Duration) {
	s.calls++
	s.slowest = max(s.slowest, d)
}

func (x *crossing) cross(now time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.moment = now
}

func (x *crossing) keepCalling(ctx context.Context, c *client.Client) {
	for ctx.Err() == nil {
		began := time.Now()
		// The call is waited for even when ctx has ended: it must not be lost.
		_, err := c.Call(context.WithoutCancel(ctx), "debug.echo", json.RawMessage(`{"value":1}`))
		x.note(began, time.Now(), err)
	}
}

func (x *crossing) note(began, ended time.Time, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case err != nil:
		x.wrong = err
	case x.moment.IsZero() || ended.Before(x.moment):
	case began.Before(x.moment):
		x.across.add(ended.Sub(began))
	default:
		x.after.add(ended.Sub(began))
	}
}
