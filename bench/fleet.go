package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/helve-dev/helve/bench/storm"
)

// fleet holds the processes of one measurement, and their files.
type fleet struct {
	opts  Options
	dir   string
	nodes []*node
	nats  string // the broker's URL, or those of a cluster
	// servers and routes are the addresses of a cluster's servers for clients and for each
	// other.
	servers, routes []string
	// settings are variables of the processes that start from now on.
	settings []string
}

// newFleet starts a broker. Every fleet must be closed.
func newFleet(ctx context.Context, opts Options) (*fleet, error) {
	dir, err := os.MkdirTemp("", "helve-bench-")
	if err != nil {
		return nil, err
	}
	f := &fleet{opts: opts, dir: dir}
	if opts.Nodes > 1 {
		err = f.cluster(ctx)
	} else {
		err = f.single(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, f.close())
	}
	return f, nil
}

// single starts one NATS server. Its address is the same after a restart.
func (f *fleet) single(ctx context.Context) error {
	addrs, err := storm.FreeAddrs(1)
	if err != nil {
		return err
	}
	broker, err := f.start(ctx, roleBroker, filepath.Join(f.dir, "nats"), addrs[0])
	if err == nil {
		f.nats = broker.ready["nats"]
	}
	return err
}

// cluster starts NATS servers as a cluster. Their addresses are the same after a restart.
func (f *fleet) cluster(ctx context.Context) error {
	addrs, err := storm.FreeAddrs(2 * f.opts.Nodes)
	if err != nil {
		return err
	}
	f.servers, f.routes = addrs[:f.opts.Nodes], addrs[f.opts.Nodes:]
	f.nats = "nats://" + strings.Join(f.servers, ",nats://")
	for i := range f.servers {
		if _, err := f.server(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// server starts a server of the cluster.
func (f *fleet) server(ctx context.Context, i int) (*node, error) {
	others := slices.Delete(slices.Clone(f.routes), i, i+1)
	args := append([]string{filepath.Join(f.dir, fmt.Sprintf("nats-%d", i)), f.servers[i], f.routes[i]}, others...)
	return f.start(ctx, roleBroker, args...)
}

// close ends the processes, last started first, and removes their files.
func (f *fleet) close() error {
	for _, n := range slices.Backward(f.nodes) {
		if n.role == roleBroker && len(f.routes) > 0 {
			n.kill() // the last servers of a cluster have nobody to leave to
		}
		n.stop()
	}
	return os.RemoveAll(f.dir)
}

// start starts a process in a role.
func (f *fleet) start(ctx context.Context, role string, args ...string) (*node, error) {
	return f.run(ctx, role, slices.Concat(f.opts.Node, []string{role}, args))
}

// run starts any command that prints a ready line.
func (f *fleet) run(ctx context.Context, role string, argv []string) (*node, error) {
	if len(argv) == 0 || argv[0] == role {
		return nil, errors.New("the command that starts the benchmark's processes is not named")
	}
	log := filepath.Join(f.dir, fmt.Sprintf("%s-%d.log", role, len(f.nodes)))
	n, err := launch(ctx, role, argv, f.env(), log)
	if err != nil {
		return nil, err
	}
	f.nodes = append(f.nodes, n)
	if f.opts.started != nil {
		f.opts.started(n.cmd.Process.Pid)
	}
	return n, nil
}

// env returns our environment without settings of a Helve that may run here: the
// measured processes use the defaults, and leave no files behind.
func (f *fleet) env() []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "HELVE_") })
	if f.opts.Results > 0 {
		env = append(env, "HELVE_STREAMS_RESULTS_MAX_MESSAGES="+strconv.Itoa(f.opts.Results))
	}
	if f.opts.Nodes > 1 {
		// Servers that share a disk refuse what would fit each of them alone.
		env = append(env, fmt.Sprintf("HELVE_DURABILITY_REPLICAS=%d", f.opts.Nodes),
			"HELVE_STREAMS_RESULTS_MAX_BYTES=1GiB", "HELVE_STREAMS_ONCE_MAX_BYTES=1GiB")
	}
	if f.opts.Store != "" {
		env = append(env, "HELVE_STORE_URL="+f.opts.Store)
	}
	env = append(env, f.settings...)
	return append(env, profilesEnv+"="+f.opts.Profiles, "HELVE_DATA="+f.data())
}

// data returns the directory for the processes' files.
func (f *fleet) data() string { return filepath.Join(f.dir, "data") }

func (f *fleet) dispatcher(ctx context.Context, flags ...string) (*node, error) {
	base := []string{"--nats", f.nats, "--http", "127.0.0.1:0", "--diagnostics", "--group", "webFetch=on"}
	return f.start(ctx, roleDispatcher, append(base, flags...)...)
}

func (f *fleet) worker(ctx context.Context, flags ...string) (*node, error) {
	base := []string{"--nats", f.nats, "--http", "127.0.0.1:0", "--diagnostics", "--group", "webFetch=on"}
	return f.start(ctx, roleWorker, append(base, flags...)...)
}

// broker returns the process that was started first.
func (f *fleet) broker() *node { return f.nodes[0] }

// trim empties the logs, so that a long run does not fill the disk.
func (f *fleet) trim() {
	for _, n := range f.nodes {
		_ = os.Truncate(n.log, 0) // a log that cannot be emptied is not a failure
	}
}
