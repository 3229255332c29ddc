package storm

import (
	"context"
	"math/rand/v2"
	"strings"
	"syscall"
	"time"
)

// kind is a kind of fault.
type kind int

const (
	oneWorker kind = iota
	oneDispatcher
	twoWorkers
	workerAndDispatcher
	twoDispatchers
	server
	serverAndWorker
	serverAndDispatcher
	leader     // the server that leads the queue of calls
	twoServers // of three: the cluster has no quorum
	apart      // a server loses its links to the others
	slow       // a server has slow links to the others
)

// deck lists the kinds of kills in their proportions. Each sequence of this length
// contains all of them.
func deck(nodes int) []kind {
	if nodes > 1 { // what a single server cannot test
		return []kind{
			leader, serverAndWorker, twoServers, apart, slow, server, workerAndDispatcher, serverAndDispatcher, server, oneWorker, twoWorkers,
			oneDispatcher, server,
		}
	}
	return []kind{
		oneWorker, workerAndDispatcher, server, oneWorker, oneDispatcher, twoWorkers,
		serverAndWorker, oneWorker, workerAndDispatcher, serverAndDispatcher, oneDispatcher, twoDispatchers,
	}
}

const (
	// stopEvery and fullEvery are the numbers of kills after which a process is also
	// stopped, or the results stream filled.
	stopEvery, fullEvery = 3, 4
	// hung is the time for which the server is stopped.
	hung = 1500 * time.Millisecond
	// fullFor is the time for which that stream accepts nothing.
	fullFor = 1500 * time.Millisecond
)

// faults strikes whenever a share of the calls is done.
type faults struct {
	fleet  *fleet
	report *Report
	rand   *rand.Rand
	crash  func(at time.Time, what string)
}

// run strikes after each share of the calls that done reports, until the requested
// number of kills.
func (x *faults) run(ctx context.Context, done func() int) error {
	opts, all := x.fleet.opts, deck(len(x.fleet.brokers))
	for i := range opts.Kills {
		for due := (i + 1) * opts.Calls / (opts.Kills + 1); done() < due; {
			if err := pause(ctx, 5*time.Millisecond); err != nil {
				return err
			}
		}
		if err := x.strike(ctx, all[i%len(all)]); err != nil {
			return err
		}
		if i%stopEvery == 0 {
			if err := x.stop(ctx); err != nil {
				return err
			}
		}
		if i%fullEvery == 1 {
			if err := x.fill(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// strike kills and restarts processes. If two are killed nothing happens in between.
func (x *faults) strike(ctx context.Context, k kind) error {
	f, w, d := x.fleet, x.rand.IntN(workers), x.rand.IntN(dispatchers)
	if k >= leader {
		return x.onCluster(ctx, k)
	}
	var victims []*process
	var again []func(context.Context) error
	worker := func(i int) {
		victims = append(victims, f.workers[i])
		again = append(again, func(ctx context.Context) error { return f.startWorker(ctx, i) })
	}
	dispatcher := func(i int) {
		victims = append(victims, f.dispatchers[i])
		again = append(again, func(ctx context.Context) error { return f.startDispatcher(ctx, i) })
	}
	if k == server || k == serverAndWorker || k == serverAndDispatcher {
		i := x.report.Servers % len(f.brokers)  // each in turn, the leader of the cluster among them
		if err := f.caughtUp(ctx); err != nil { // a cluster survives the loss of one
			return err
		}
		victims = append(victims, f.brokers[i])
		again = append(again, func(ctx context.Context) error { return f.startBroker(ctx, i) })
		x.report.Servers++
	}
	switch k {
	case oneWorker, serverAndWorker:
		worker(w)
	case oneDispatcher, serverAndDispatcher:
		dispatcher(d)
	case twoWorkers:
		worker(w)
		worker((w + 1) % workers)
	case workerAndDispatcher:
		worker(w)
		dispatcher(d)
	case twoDispatchers:
		dispatcher(0)
		dispatcher(1)
	case server, leader, twoServers, apart, slow:
	}
	return x.killAll(ctx, victims, again)
}

// killAll kills processes together and starts their replacements.
func (x *faults) killAll(ctx context.Context, victims []*process, again []func(context.Context) error) error {
	f := x.fleet
	var roles strings.Builder
	for _, p := range victims {
		p.kill()
		roles.WriteString(" " + p.role)
	}
	what := roles.String()
	x.crash(time.Now(), "killed"+what)
	x.report.Kills++
	if len(victims) > 1 {
		x.report.Doubles++
	}
	f.opts.logf("killed%s", what)
	for _, p := range victims {
		<-p.ended
	}
	for _, start := range again {
		if err := start(ctx); err != nil {
			return err
		}
	}
	return nil
}

// stop stops a process and continues it later: a worker when its calls were delivered
// to others, a dispatcher after the same time, or the server, like a disk that hangs.
func (x *faults) stop(ctx context.Context) error {
	f := x.fleet
	p, d := f.workers[x.rand.IntN(workers)], stopped
	switch x.report.Stops % 4 {
	case 1:
		p = f.dispatchers[x.rand.IntN(dispatchers)]
	case 3:
		p, d = f.brokers[x.rand.IntN(len(f.brokers))], hung
		if err := f.caughtUp(ctx); err != nil {
			return err
		}
	}
	p.signal(syscall.SIGSTOP)
	x.crash(time.Now(), "stopped "+p.role)
	x.report.Stops++
	f.opts.logf("stopped %s for %v", p.role, d)
	err := pause(ctx, d)
	p.signal(syscall.SIGCONT)
	return err
}

// fill makes the results stream refuse messages for a while.
func (x *faults) fill(ctx context.Context) error {
	s, err := look(ctx, x.fleet.server())
	if err != nil {
		return err
	}
	defer s.close()
	open, err := s.fill(ctx)
	if err != nil {
		return err
	}
	x.crash(time.Now(), "results full")
	x.report.Full++
	x.fleet.opts.logf("results full for %v", fullFor)
	err = pause(ctx, fullFor)
	if again := open(context.WithoutCancel(ctx)); err == nil {
		err = again
	}
	return err
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
