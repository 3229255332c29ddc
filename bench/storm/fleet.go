package storm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/helve-dev/helve/internal/test/links"
)

// fleet holds the processes of one run. A replacement takes the place of its process.
type fleet struct {
	opts Options
	dir  string

	mu          sync.Mutex
	nats        []string    // HOST:PORT of each server, the same after each restart
	mesh        *links.Mesh // the links between the servers of a cluster; nil for one server
	brokers     []*process  // the servers
	dispatchers [dispatchers]*process
	workers     [workers]*process
	started     int
}

func newFleet(ctx context.Context, opts Options) (*fleet, error) {
	dir, err := os.MkdirTemp("", "helve-faults-")
	if err != nil {
		return nil, err
	}
	f := &fleet{opts: opts, dir: dir}
	f.nats, err = FreeAddrs(max(opts.Nodes, 1))
	f.brokers = make([]*process, len(f.nats))
	if err == nil && len(f.nats) > 1 {
		var routes []string
		if routes, err = FreeAddrs(len(f.nats)); err == nil {
			f.mesh, err = links.NewMesh(routes)
		}
	}
	for i := range f.brokers {
		if err == nil {
			err = f.startBroker(ctx, i)
		}
	}
	for i := range f.workers {
		if err == nil {
			err = f.startWorker(ctx, i)
		}
	}
	for i := range f.dispatchers {
		if err == nil {
			err = f.startDispatcher(ctx, i)
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.close())
	}
	return f, nil
}

// close ends the processes, the server last, and removes their files.
func (f *fleet) close() error {
	for _, p := range slices.Concat(f.workers[:], f.dispatchers[:], f.brokers) {
		if p != nil {
			p.end()
		}
	}
	var links error
	if f.mesh != nil {
		links = f.mesh.Close()
	}
	return errors.Join(links, os.RemoveAll(f.dir))
}

func (f *fleet) startBroker(ctx context.Context, i int) error {
	var routes []string
	if f.mesh != nil {
		routes = f.mesh.Routes(i)
	}
	p, err := f.launch(ctx, "server", f.opts.Broker(f.nats[i], filepath.Join(f.dir, fmt.Sprintf("nats-%d", i)), routes))
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.brokers[i], f.nats[i] = p, strings.TrimPrefix(p.ready["nats"], "nats://")
	return nil
}

func (f *fleet) startWorker(ctx context.Context, i int) error {
	p, err := f.launch(ctx, "worker", slices.Concat(f.opts.Worker, f.flags("--data", filepath.Join(f.dir, "data"))))
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.workers[i] = p
	return nil
}

func (f *fleet) startDispatcher(ctx context.Context, i int) error {
	p, err := f.launch(ctx, "dispatcher", slices.Concat(f.opts.Dispatcher, f.flags()),
		"HELVE_DATA="+filepath.Join(f.dir, fmt.Sprintf("dispatcher-%d", i)))
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dispatchers[i] = p
	return nil
}

func (f *fleet) flags(more ...string) []string {
	return append([]string{"--nats", f.server(), "--http", "127.0.0.1:0", "--diagnostics"}, more...)
}

// ackWait is the time that the queue waits for a heartbeat, short so that a run sees
// many repeated deliveries; stopped is longer than that.
const (
	ackWait = time.Second
	stopped = 3 * ackWait
)

func (f *fleet) launch(ctx context.Context, role string, argv []string, env ...string) (*process, error) {
	base := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "HELVE_") || strings.HasPrefix(v, "FAILPOINTS=")
	})
	f.mu.Lock()
	f.started++
	log := filepath.Join(f.dir, fmt.Sprintf("%s-%d.log", role, f.started))
	f.mu.Unlock()
	env = append(append(base, "HELVE_WORKER_ACK_WAIT="+ackWait.String(), "HELVE_LOG_FORMAT=json",
		fmt.Sprintf("HELVE_DURABILITY_REPLICAS=%d", len(f.nats)),
		// A cluster whose servers share a disk refuses to raise the limits to the
		// default again.
		"HELVE_STREAMS_RESULTS_MAX_BYTES=1GiB", "HELVE_STREAMS_ONCE_MAX_BYTES=1GiB"), env...)
	return launch(ctx, role, argv, env, f.opts.Process, log)
}

// door returns the URL of a dispatcher, which may be dead at that moment.
func (f *fleet) door(i int) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.dispatchers[i%dispatchers].ready["http"]
}

func (f *fleet) server() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return "nats://" + strings.Join(f.nats, ",nats://")
}

// ledger returns the times of each call's effects, in nanoseconds.
func (f *fleet) ledger() (map[string][]int64, error) {
	text, err := os.ReadFile(filepath.Join(f.dir, "data", "workspaces", "default", "_", "ledger.txt"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	effects := map[string][]int64{}
	for line := range strings.Lines(string(text)) {
		var key, call string
		var at int64
		if _, err := fmt.Sscan(line, &key, &call, &at); err != nil {
			return nil, fmt.Errorf("the ledger has a line %q: %w", line, err)
		}
		effects[call] = append(effects[call], at)
	}
	return effects, nil
}
