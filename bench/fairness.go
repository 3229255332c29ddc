package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/internal/bus/queue"
)

const (
	noisyTenant  = "noisy"
	noisyCalls   = 100_000
	noisySleep   = 20 // ms
	quietTenants = 20
	// quietPause is the time between two calls of a quiet tenant.
	quietPause = 20 * time.Millisecond
)

// fairness measures the cost of a tenant with a long backlog for tenants that call
// occasionally: their times alone and beside it, and the number of completed calls per
// second with and without them.
func fairness(ctx context.Context, f *fleet, s *Sheet) error {
	total := f.calls(noisyCalls)
	if _, err := f.worker(ctx); err != nil {
		return err
	}
	if _, err := f.dispatcher(ctx); err != nil {
		return err
	}
	q, err := newQuiet(f.nats)
	if err != nil {
		return err
	}
	defer q.close()
	if _, err := q.run(ctx, time.Second); err != nil { // warm
		return err
	}
	alone, err := q.run(ctx, f.opts.Time)
	if err != nil {
		return err
	}
	ended, err := countResults(f.nats, total)
	if err != nil {
		return err
	}
	defer ended.close()
	if err := fillQueue(ctx, f.nats, total); err != nil {
		return err
	}
	without := ended.rate(ctx, f.opts.Time, func() {})
	var beside *histogram
	with := ended.rate(ctx, f.opts.Time, func() { beside, err = q.run(ctx, f.opts.Time) })
	if err != nil {
		return err
	}
	if ended.rest.Load() <= 0 {
		f.opts.sayf("the backlog was over before the measurement: give more --calls or fewer --seconds")
	}
	s.put("quiet_alone_p50_us", alone.quantile(0.50), "a call of 20 quiet tenants, alone")
	s.put("quiet_alone_p99_us", alone.quantile(0.99), "")
	s.put("quiet_beside_p50_us", beside.quantile(0.50), "the same while another tenant has a backlog")
	s.put("quiet_beside_p99_us", beside.quantile(0.99), "")
	s.put("quiet_p99_ratio", beside.quantile(0.99)/alone.quantile(0.99), "p99 beside the backlog against alone")
	s.put("quiet_alone_calls", float64(alone.count()), "how many that were")
	s.put("quiet_beside_calls", float64(beside.count()), "")
	s.put("rate_backlog", without, "calls of 20 ms that ended a second, of the backlog alone")
	s.put("backlog_left", float64(ended.rest.Load()), "calls of the backlog that are left")
	s.put("rate_together", with, "calls that ended a second, of all")
	return nil
}

// fillQueue queues calls of the noisy tenant that each take a while.
func fillQueue(ctx context.Context, url string, total int) error {
	c, err := client.New(url, client.WithTenant(noisyTenant))
	if err != nil {
		return err
	}
	defer c.Close()
	nap := client.Call{Tool: "debug.sleep", Arguments: json.RawMessage(fmt.Sprintf(`{"ms":%d}`, noisySleep))}
	return sendBy(ctx, c, total, 4, nap, client.NoWait, func(r client.Result) error {
		if err := r.Err(); err != nil && !errors.Is(err, client.ErrPending) {
			return fmt.Errorf("a call was not queued: %w", err)
		}
		return nil
	})
}

// quiet is a set of tenants that each make one call at a time, with a pause between
// calls.
type quiet struct{ clients []*client.Client }

func newQuiet(url string) (*quiet, error) {
	q := &quiet{}
	for i := range quietTenants {
		c, err := client.New(url, client.WithTenant(fmt.Sprintf("quiet-%d", i)))
		if err != nil {
			q.close()
			return nil, err
		}
		q.clients = append(q.clients, c)
	}
	return q, nil
}

func (q *quiet) close() {
	for _, c := range q.clients {
		c.Close()
	}
}

// run makes them call for d. A call that does not succeed is an error.
func (q *quiet) run(ctx context.Context, d time.Duration) (*histogram, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	times, end := &histogram{}, time.Now().Add(d)
	var tenants sync.WaitGroup
	for _, c := range q.clients {
		tenants.Go(func() {
			for time.Now().Before(end) && ctx.Err() == nil {
				began := time.Now()
				if _, err := c.Call(ctx, "debug.echo", json.RawMessage(`{"value":1}`)); err != nil {
					stop(err)
					return
				}
				times.add(time.Since(began))
				wait(ctx, quietPause)
			}
		})
	}
	tenants.Wait()
	return times, context.Cause(ctx)
}

// ended counts the results of all tenants, and the remaining calls of the noisy tenant.
type ended struct {
	nc        *nats.Conn
	all, rest atomic.Int64
}

func countResults(url string, backlog int) (*ended, error) {
	e := &ended{}
	e.rest.Store(int64(backlog))
	var err error
	if e.nc, err = nats.Connect(url); err != nil {
		return nil, err
	}
	sub, err := e.nc.Subscribe("helve.v1.*.result.>", func(msg *nats.Msg) {
		n := max(1, int64(len(queue.GroupCalls(msg.Header.Get(queue.HeaderGroup)))))
		e.all.Add(n)
		if strings.HasPrefix(msg.Subject, "helve.v1."+noisyTenant+".") {
			e.rest.Add(-n)
		}
	})
	if err == nil {
		err = errors.Join(sub.SetPendingLimits(-1, -1), e.nc.Flush())
	}
	if err != nil {
		e.nc.Close()
		return nil, err
	}
	return e, nil
}

func (e *ended) close() { e.nc.Close() }

// rate returns the number of calls that end per second in d, while what runs.
func (e *ended) rate(ctx context.Context, d time.Duration, what func()) float64 {
	before, began := e.all.Load(), time.Now()
	what()
	wait(ctx, d-time.Since(began))
	return float64(e.all.Load()-before) / time.Since(began).Seconds()
}
