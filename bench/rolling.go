package bench

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/helve-dev/helve/bench/storm"
	"github.com/helve-dev/helve/client"
)

const (
	// rollingRate is the load in calls a second, unless the machine can do less than
	// rollingSpare times that.
	rollingRate, rollingSpare = 2000, 1.6
	rollingCallers            = 256
	// rollingPause is the time after each restart, as minReadySeconds of deploy/k8s.
	rollingPause = 5 * time.Second
	rollingRetry = 30 * time.Second
)

// rolling makes calls at a fixed rate while two dispatchers, two workers and, if there is a
// cluster, its servers are restarted one after the other by SIGTERM. As in deploy/k8s, a new
// dispatcher or worker is ready before the old one is told to end. With one server, callers
// send again only when an HTTP connection was refused. In a cluster they also send again what
// is answered as unavailable, with the same call_id: they and the dispatchers lose their
// connections when a server ends.
func rolling(ctx context.Context, f *fleet, s *Sheet) error {
	r := rollout{f: f, s: s}
	if err := r.gather(ctx); err != nil {
		return err
	}
	defer r.close()
	rate, err := r.rate(ctx)
	if err != nil {
		return err
	}
	p := pacer{call: r.call, rate: rate, callers: rollingCallers}
	normal, changing := &histogram{}, &histogram{}
	p.times.Store(normal)
	busy, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.run(ctx, busy)
	}()
	wait(ctx, 4*f.opts.Time)
	before := p.failed.Load()
	p.times.Store(changing)
	began := time.Now()
	err = r.restartAll(ctx)
	took := time.Since(began)
	wait(ctx, f.opts.Time) // what the last restart has delayed
	stop()
	<-ended
	failed := p.failed.Load() - before
	if err != nil {
		return err
	}
	s.put("rate", rate, fmt.Sprintf("calls a second that were due; the machine did %.0f without restarts", r.capacity))
	s.put("restarts", float64(r.restarts), "processes restarted, one after the other")
	s.put("rolling_s", took.Seconds(), "seconds that this took")
	s.put("rolling_calls", float64(changing.count()), "calls that succeeded meanwhile")
	s.put("rolling_failed", float64(failed), "calls that failed meanwhile")
	s.put("normal_p99_us", normal.quantile(0.99), "a call before, from the time when it was due")
	s.put("rolling_p99_us", changing.quantile(0.99), "a call meanwhile")
	s.put("p99_ratio", changing.quantile(0.99)/normal.quantile(0.99), "of the two")
	s.put("rolling_p999_us", changing.quantile(0.999), "a call meanwhile")
	s.put("rolling_most_us", changing.quantile(1), "the slowest call meanwhile")
	return r.check(&p)
}

// rollout is the system of the scenario, with its callers.
type rollout struct {
	f           *fleet
	s           *Sheet
	dispatchers [2]*node
	workers     [2]*node
	servers     []*node
	proxy       roundRobin
	http, nats  *client.Client

	capacity float64
	restarts int
}

func (r *rollout) gather(ctx context.Context) (err error) {
	r.servers = append(r.servers, r.f.nodes...)
	for i := range r.workers {
		if r.workers[i], err = r.f.worker(ctx); err != nil {
			return err
		}
	}
	for i := range r.dispatchers {
		if err := r.dispatcher(ctx, i); err != nil {
			return err
		}
	}
	r.proxy.own.MaxIdleConnsPerHost = rollingCallers
	opts := []client.Option{client.WithHTTPClient(&http.Client{Transport: &r.proxy, Timeout: 2 * callTimeout})}
	if len(r.servers) > 1 {
		opts = append(opts, client.WithRetryFor(rollingRetry))
	}
	if r.http, err = client.New("http://dispatcher", opts...); err != nil {
		return err
	}
	r.nats, err = client.New(r.f.nats, opts[1:]...)
	return err
}

func (r *rollout) close() {
	r.http.Close()
	r.nats.Close()
	r.proxy.own.CloseIdleConnections()
}

func (r *rollout) dispatcher(ctx context.Context, i int) (err error) {
	if r.dispatchers[i], err = r.f.dispatcher(ctx); err == nil {
		r.proxy.put(i, r.dispatchers[i])
	}
	return err
}

// call makes a call: half over HTTP, half over NATS, and one of ten with an effect.
func (r *rollout) call(ctx context.Context, n int64) error {
	ctx, cancel := context.WithTimeout(ctx, 2*callTimeout)
	defer cancel()
	c, way := r.nats, NATS
	if n%2 == 0 {
		c, way = r.http, HTTP
	}
	call := example{"debug.echo", `{"value":1}`}
	if n%10 < 2 && n%20 < 10 {
		call = example{"debug.effect", `{"key":"rolling"}`}
	}
	if _, err := c.Call(ctx, call.tool, []byte(call.arguments)); err != nil {
		return fmt.Errorf("%s over %s: %w", call.tool, way, err)
	}
	return nil
}

// rate returns the load: what is asked, or the usual rate if the machine can do it.
func (r *rollout) rate(ctx context.Context) (float64, error) {
	for range 2 { // the first is a warm-up
		p := pacer{call: r.call, callers: 64}
		length, stop := context.WithTimeout(ctx, r.f.opts.Time)
		began := time.Now()
		p.run(ctx, length)
		stop()
		if first := p.first.Load(); first != nil {
			return 0, fmt.Errorf("before any restart, %d calls failed, the first: %s", p.failed.Load(), *first)
		}
		r.capacity = float64(p.made.Load()) / time.Since(began).Seconds()
	}
	if r.f.opts.Rate > 0 {
		return r.f.opts.Rate, nil
	}
	return min(rollingRate, r.capacity/rollingSpare), ctx.Err()
}

// restartAll restarts everything.
func (r *rollout) restartAll(ctx context.Context) error {
	for i, d := range r.dispatchers {
		if err := r.replace(ctx, d, func() error { return r.dispatcher(ctx, i) }); err != nil {
			return err
		}
	}
	for i, w := range r.workers {
		err := r.replace(ctx, w, func() (err error) {
			r.workers[i], err = r.f.worker(ctx)
			return err
		})
		if err != nil {
			return err
		}
	}
	if len(r.servers) == 1 {
		return nil
	}
	for i, n := range r.servers {
		err := r.restart(ctx, n, func() (err error) {
			if r.servers[i], err = r.f.server(ctx, i); err != nil {
				return err
			}
			return storm.CaughtUp(ctx, r.f.nats)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// replace ends a process after its successor has become ready.
func (r *rollout) replace(ctx context.Context, n *node, start func() error) error {
	r.f.opts.sayf("rolling: replacing a %s", n.role)
	if err := start(); err != nil {
		return err
	}
	n.stop()
	return r.restarted(ctx)
}

func (r *rollout) restart(ctx context.Context, n *node, start func() error) error {
	r.f.opts.sayf("rolling: restarting a %s", n.role)
	n.stop()
	if err := start(); err != nil {
		return err
	}
	return r.restarted(ctx)
}

func (r *rollout) restarted(ctx context.Context) error {
	r.restarts++
	wait(ctx, min(rollingPause, 2*r.f.opts.Time))
	return ctx.Err()
}

// check returns an error if a call failed or an effect was doubled.
func (r *rollout) check(p *pacer) error {
	effects, err := countLedger(r.f.data())
	if err != nil {
		return err
	}
	r.s.put("effects", float64(effects), "effects, none of them twice")
	if first := p.first.Load(); first != nil {
		return fmt.Errorf("of %d calls %d failed, the first: %s", p.made.Load()+p.failed.Load(), p.failed.Load(), *first)
	}
	return nil
}
