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
	autoscaleCalls  = 9000
	autoscaleBursts = 3
	// autoscaleSlots are those of a worker: few, so that a machine of few cores has work for
	// many workers. autoscaleCall is the time that a call takes.
	autoscaleSlots = 16
	autoscaleCall  = 200
	// autoscaleStep is the time of a step in place of 15 s to 60 s, autoscaleCalm the number
	// of steps in place of 300 s.
	autoscaleStep = time.Second
	autoscaleCalm = 3
	// autoscaleFew is the most workers with which a scenario of given calls ends.
	autoscaleFew   = 4
	autoscaleLimit = 5 * time.Minute
	// autoscaleSteady is the rate of the calls beside the bursts.
	autoscaleSteady = 20
)

func newAutoscaler(most int) *autoscaler {
	return &autoscaler{
		least: 1, most: most, perWorker: autoscaleSlots, upPercent: scaleUpPercent, upPods: scaleUpPods,
		downPods: scaleDownPods, calm: autoscaleCalm,
	}
}

// autoscale queues bursts of calls with effects, and starts and stops workers by the backlog
// as an autoscaler does. The next burst comes while workers are being stopped. A call that is
// lost, or an effect that is doubled, is an error.
func autoscale(ctx context.Context, f *fleet, s *Sheet) error {
	total, most := f.calls(autoscaleCalls), scaleMost
	if f.opts.Calls > 0 {
		most = autoscaleFew
	}
	total -= total % autoscaleBursts
	dispatcher, err := f.dispatcher(ctx)
	if err != nil {
		return err
	}
	// A burst may take longer than a request; sent again, its calls have the same ids.
	c, err := client.New(f.nats, client.WithRetryFor(time.Minute))
	if err != nil {
		return err
	}
	defer c.Close()
	results, err := watchResults(f.nats, total)
	if err != nil {
		return err
	}
	defer results.close()
	ctx, cancel := context.WithTimeoutCause(ctx, autoscaleLimit, fmt.Errorf("the bursts did not end within %v", autoscaleLimit))
	defer cancel()
	r := scaled{f: f, url: dispatcher.ready["http"], scaler: newAutoscaler(most), s: s}
	s.Columns = []string{"seconds", "backlog", "workers", "results"}
	if err := r.to(ctx, 1); err != nil {
		return err
	}
	steady, stop, err := trickle(ctx, f.nats)
	if err != nil {
		return err
	}
	defer stop()
	began := time.Now()
	for burst := 1; burst <= autoscaleBursts; burst++ {
		if err := burstOf(ctx, c, total/autoscaleBursts); err != nil {
			return err
		}
		want := total / autoscaleBursts * burst
		for done := 0; done < want || len(r.workers) > r.few(burst); {
			if err := r.step(ctx, began, &done, results, total); err != nil {
				return err
			}
		}
	}
	stop()
	return r.check(results, total, steady)
}

// check compares results and effects with the calls.
func (r *scaled) check(results *results, total int, steady *pacer) error {
	if first := steady.first.Load(); first != nil {
		return fmt.Errorf("%d calls beside the bursts failed, the first: %s", steady.failed.Load(), *first)
	}
	results.mu.Lock()
	wrong, seen := results.wrong, len(results.seen)
	results.mu.Unlock()
	lines, err := countLedger(r.f.data())
	if err := errors.Join(wrong, err); err != nil {
		return err
	}
	beside := int(steady.made.Load())
	if lines != total+beside || seen != total {
		return fmt.Errorf("of %d calls %d have results, and with %d more there are %d effects", total, seen, beside, lines)
	}
	s := r.s
	s.put("calls", float64(total), fmt.Sprintf("calls with an effect, in %d bursts", autoscaleBursts))
	s.put("steady_calls", float64(beside), "calls with an effect beside them, without a pause")
	s.put("steady_p99_us", steady.swap().quantile(0.99), fmt.Sprintf("one of these, which takes %d ms", autoscaleCall))
	s.put("most_workers", float64(r.most), "the most workers at one time")
	s.put("started", float64(r.started), "workers started")
	s.put("stopped", float64(r.stopped), "workers stopped by SIGTERM while calls ran")
	s.put("lost", 0, "calls without a result")
	s.put("doubled", 0, "effects that were written twice, or calls with two results")
	return nil
}

// trickle makes calls of another tenant at a low rate until stop is called: some are always
// running when a worker is stopped.
func trickle(ctx context.Context, url string) (p *pacer, stop func(), err error) {
	c, err := client.New(url, client.WithTenant(noisyTenant))
	if err != nil {
		return nil, nil, err
	}
	arguments := fmt.Appendf(nil, `{"key":"steady","before_ms":%d}`, autoscaleCall)
	p = &pacer{rate: autoscaleSteady, callers: autoscaleSteady, call: func(ctx context.Context, _ int64) error {
		_, err := c.Call(ctx, "debug.effect", arguments)
		return err
	}}
	busy, end := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.run(ctx, busy)
	}()
	return p, sync.OnceFunc(func() {
		end()
		<-ended
		c.Close()
	}), nil
}

// burstOf queues calls that take a while and then write a line.
func burstOf(ctx context.Context, c *client.Client, n int) error {
	call := client.Call{
		Tool: "debug.effect", WaitForWorker: true,
		Arguments: json.RawMessage(fmt.Sprintf(`{"key":"burst","before_ms":%d}`, autoscaleCall)),
	}
	return sendBy(ctx, c, n, 4, call, client.NoWait, func(r client.Result) error {
		if err := r.Err(); err != nil && !errors.Is(err, client.ErrPending) {
			return fmt.Errorf("a call was not queued: %w", err)
		}
		return nil
	})
}

// scaled is a pool whose workers are started and stopped.
type scaled struct {
	f       *fleet
	url     string
	scaler  *autoscaler
	s       *Sheet
	workers []*node

	most, started, stopped int
}

// few returns the number of workers with which a burst ends: the next one comes while
// workers are being stopped.
func (r *scaled) few(burst int) int {
	if burst == autoscaleBursts {
		return 1
	}
	return max(r.most/2, 1)
}

// step reads the backlog, changes the number of workers, and waits.
func (r *scaled) step(ctx context.Context, began time.Time, done *int, results *results, total int) error {
	backlog, err := backlogOf(ctx, r.url)
	if err != nil {
		return err
	}
	if err := r.to(ctx, r.scaler.next(len(r.workers), backlog)); err != nil {
		return err
	}
	*done = total - results.left()
	seconds := time.Since(began).Seconds()
	r.s.Rows = append(r.s.Rows, []float64{seconds, float64(backlog), float64(len(r.workers)), float64(*done)})
	r.f.opts.sayf("autoscale: %.0f s, backlog %d, workers %d, results %d", seconds, backlog, len(r.workers), *done)
	wait(ctx, autoscaleStep)
	return context.Cause(ctx)
}

// to starts or stops workers until there are n. A stopped worker drains while others are
// started.
func (r *scaled) to(ctx context.Context, n int) error {
	for len(r.workers) < n {
		w, err := r.f.worker(ctx, "--slots", fmt.Sprint(autoscaleSlots))
		if err != nil {
			return err
		}
		r.workers, r.started = append(r.workers, w), r.started+1
	}
	for len(r.workers) > n { // the longest running one first
		go r.workers[0].stop()
		r.workers, r.stopped = r.workers[1:], r.stopped+1
	}
	r.most = max(r.most, n)
	return nil
}
