package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// fleet is the processes of one measurement, and their files.
type fleet struct {
	opts  Options
	dir   string
	nodes []*node
	nats  string // the broker's URL
}

// newFleet starts a broker. Every fleet must be closed.
func newFleet(ctx context.Context, opts Options) (*fleet, error) {
	dir, err := os.MkdirTemp("", "helve-bench-")
	if err != nil {
		return nil, err
	}
	f := &fleet{opts: opts, dir: dir}
	broker, err := f.start(ctx, roleBroker, filepath.Join(dir, "nats"))
	if err != nil {
		return nil, errors.Join(err, f.close())
	}
	f.nats = broker.ready["nats"]
	return f, nil
}

// close ends the processes, last started first, and removes their files.
func (f *fleet) close() error {
	for _, n := range slices.Backward(f.nodes) {
		n.stop()
	}
	return os.RemoveAll(f.dir)
}

// start starts a process in a role.
func (f *fleet) start(ctx context.Context, role string, args ...string) (*node, error) {
	return f.run(ctx, role, slices.Concat(f.opts.Node, []string{role}, args))
}

// run starts any command that says when it is ready.
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

// env is ours without the settings of a Helve that may run here: what is
// measured is measured with the defaults, and leaves no file behind.
func (f *fleet) env() []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "HELVE_") })
	return append(env, profilesEnv+"="+f.opts.Profiles, "HELVE_DATA="+f.data())
}

// data is where the processes keep their files.
func (f *fleet) data() string { return filepath.Join(f.dir, "data") }

func (f *fleet) dispatcher(ctx context.Context, flags ...string) (*node, error) {
	base := []string{"--nats", f.nats, "--http", "127.0.0.1:0", "--diagnostics"}
	return f.start(ctx, roleDispatcher, append(base, flags...)...)
}

func (f *fleet) worker(ctx context.Context, flags ...string) (*node, error) {
	base := []string{"--nats", f.nats, "--http", "127.0.0.1:0", "--diagnostics"}
	return f.start(ctx, roleWorker, append(base, flags...)...)
}

// broker is the process that was started first.
func (f *fleet) broker() *node { return f.nodes[0] }

// trim empties the logs, so that a long run does not fill the disk.
func (f *fleet) trim() {
	for _, n := range f.nodes {
		_ = os.Truncate(n.log, 0) // a log that stays long is no reason to fail
	}
}
