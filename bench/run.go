package bench

import (
	"context"
	"errors"
	"strconv"
	"time"
)

// Run runs the measurements of opts. Calls that did not succeed are counted in the
// report; an error means that there is no report.
func Run(ctx context.Context, opts Options) (report *Report, err error) {
	if err := opts.Check(); err != nil {
		return nil, err
	}
	r := &run{opts: opts, seen: map[string][]Figures{}, report: Report{Machine: ThisMachine(), Load: loadAverage()}}
	if opts.wires(Bare, Floor, NATS, HTTP, BareMCP, MCP) {
		if r.fleet, err = newFleet(ctx, opts); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, r.fleet.close()) }()
		if err := r.gather(ctx); err != nil {
			return nil, err
		}
	}
	for round := range opts.Rounds {
		if err := r.round(ctx, round); err != nil {
			return nil, err
		}
	}
	r.sum()
	return &r.report, nil
}

// run is a run in progress.
type run struct {
	opts   Options
	fleet  *fleet
	caller *node
	// ways holds the measurements over the wire, in turn.
	ways   []wire
	seen   map[string][]Figures // by way and number of callers
	engine []EngineFigures
	report Report
}

// wire is a way with its processes, without the caller.
type wire struct {
	way, url string
	nodes    []*node
}

// gather starts the processes that the ways need.
func (r *run) gather(ctx context.Context) error {
	var err error
	start := func(how func() (*node, error)) *node {
		if err != nil {
			return nil
		}
		var n *node
		n, err = how()
		return n
	}
	f := r.fleet
	broker := f.broker()
	r.caller = start(func() (*node, error) { return f.start(ctx, roleCaller) })
	if r.opts.wants(Bare) {
		echo := start(func() (*node, error) { return f.start(ctx, roleEcho, f.nats) })
		r.ways = append(r.ways, wire{Bare, f.nats, []*node{broker, echo}})
	}
	if r.opts.wants(Floor) {
		front := start(func() (*node, error) { return f.start(ctx, roleFront, f.nats) })
		taker := start(func() (*node, error) { return f.start(ctx, roleTaker, f.nats) })
		r.ways = append(r.ways, wire{Floor, f.nats, []*node{broker, front, taker}})
	}
	if r.opts.wants(BareMCP) {
		server := start(func() (*node, error) { return f.start(ctx, roleMCP) })
		if err != nil {
			return err
		}
		r.ways = append(r.ways, wire{BareMCP, server.ready["http"], []*node{server}})
	}
	if r.opts.wires(NATS, HTTP, MCP) {
		worker := start(func() (*node, error) { return f.worker(ctx) })
		dispatcher := start(func() (*node, error) { return f.dispatcher(ctx) })
		if err != nil {
			return err
		}
		nodes := []*node{broker, dispatcher, worker}
		if r.opts.wants(NATS) {
			r.ways = append(r.ways, wire{NATS, f.nats, nodes})
		}
		if r.opts.wants(HTTP) {
			r.ways = append(r.ways, wire{HTTP, dispatcher.ready["http"], nodes})
		}
		if r.opts.wants(MCP) {
			r.ways = append(r.ways, wire{MCP, dispatcher.ready["http"] + "/mcp", nodes})
		}
	}
	return err
}

// round measures everything once.
func (r *run) round(ctx context.Context, number int) error {
	if r.opts.wants(Engine) {
		r.opts.sayf("round %d of %d: engine", number+1, r.opts.Rounds)
		figures, err := measureEngine(ctx, min(r.opts.Time, time.Second))
		if err != nil {
			return err
		}
		r.engine = append(r.engine, figures)
	}
	for _, callers := range r.opts.Callers {
		for _, w := range r.ways {
			r.opts.sayf("round %d of %d: %s, concurrent callers: %d", number+1, r.opts.Rounds, w.way, callers)
			figures, err := r.measure(ctx, w, callers)
			if err != nil {
				return err
			}
			key := w.way + strconv.Itoa(callers)
			r.seen[key] = append(r.seen[key], figures)
			r.fleet.trim()
		}
	}
	return nil
}

// sum builds the report.
func (r *run) sum() {
	for _, w := range r.ways {
		figures := map[string]Figures{}
		for _, callers := range r.opts.Callers {
			key := strconv.Itoa(callers)
			figures[key] = medianOf(r.seen[w.way+key])
		}
		*r.report.at(w.way) = figures
	}
	if len(r.engine) > 0 {
		var p50, p99 []float64
		for _, f := range r.engine {
			p50, p99 = append(p50, f.P50), append(p99, f.P99)
		}
		r.report.Engine = &EngineFigures{P50: median(p50), P99: median(p99), Allocs: r.engine[0].Allocs}
	}
	r.report.compare(r.opts.Callers)
}
