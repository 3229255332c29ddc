package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/x/failpoint"
)

// world is one Helve: a NATS server, dispatchers, workers that share a data directory, and
// the calls that were made.
type world struct {
	t    *testing.T
	url  string // of NATS
	data string
	all  []*process
	sees *observer // once a test has used it
	// plain is set if the processes store and read no groups of results, and hand over no
	// calls directly.
	plain bool

	calls []*call
}

// newWorld returns a world on a NATS server of its own. That is a separate process: under
// the race detector, which checks only the test, a server inside the test would take as
// much time as everything else.
func newWorld(t *testing.T) *world {
	t.Helper()
	return worldAt(t, natsd(t, "127.0.0.1:0", t.TempDir()).line("ready nats="))
}

// worldAt returns a world on a NATS server of the test's own.
func worldAt(t *testing.T, url string) *world {
	t.Helper()
	return &world{t: t, url: url, data: t.TempDir()}
}

// environment returns the environment of every program: none of the test's own settings, a
// short redelivery time, and a collector that leaves short-lived processes alone.
func environment(more []string) []string {
	var env []string
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "HELVE_") && !strings.HasPrefix(kv, "FAILPOINTS=") {
			env = append(env, kv)
		}
	}
	env = append(env, "HELVE_WORKER_ACK_WAIT=1s", "HELVE_LOG_FORMAT=json", "GOMAXPROCS=2", "GOGC=400")
	return append(env, more...)
}

// failing returns the variable that arms a program's failpoints.
func failing(format string, args ...any) string { return "FAILPOINTS=" + fmt.Sprintf(format, args...) }

// formed returns the environment of a program in the form of this world.
func (w *world) formed(env []string) []string {
	if !w.plain {
		return env
	}
	env = append(slices.Clone(env), "HELVE_DISPATCHER_DIRECT_UNDER=0s")
	const off = failpoint.GroupsUsed + "=error@*"
	for i, kv := range env {
		if strings.HasPrefix(kv, "FAILPOINTS=") {
			env[i] = kv + "," + off
			return env
		}
	}
	return append(env, failing(off))
}

// spawnWorker starts a worker without waiting for it.
func (w *world) spawnWorker(addr string, env ...string) *process {
	w.t.Helper()
	return w.spawnWorkerOf(present, addr, env...)
}

func (w *world) spawnWorkerOf(r release, addr string, env ...string) *process {
	w.t.Helper()
	p := spawn(w.t, fmt.Sprintf("process %d, a worker,", len(w.all)), r.program("worker"), environment(w.formed(env)),
		"--nats", w.url, "--data", w.data, "--http", addr, "--diagnostics")
	w.all = append(w.all, p)
	return p
}

// worker starts a worker and returns when it takes calls.
func (w *world) worker(env ...string) *process {
	w.t.Helper()
	p := w.spawnWorker("127.0.0.1:0", env...)
	p.line("ready worker=")
	return p
}

func (w *world) spawnDispatcher(addr string, env ...string) *process {
	w.t.Helper()
	return w.spawnDispatcherOf(present, addr, env...)
}

func (w *world) spawnDispatcherOf(r release, addr string, env ...string) *process {
	w.t.Helper()
	// Each has a directory of its own, as on a machine of its own.
	env = append([]string{"HELVE_DATA=" + filepath.Join(w.data, fmt.Sprintf("dispatcher-%d", len(w.all)))}, env...)
	p := spawn(w.t, fmt.Sprintf("process %d, a dispatcher,", len(w.all)), r.program("dispatcher"), environment(w.formed(env)),
		"--nats", w.url, "--http", addr, "--diagnostics")
	w.all = append(w.all, p)
	return p
}

// door is a dispatcher and its address.
type door struct {
	*process
	url string
}

// dispatcher starts a dispatcher and returns when it takes calls. It knows the tools of the
// workers that were ready before.
func (w *world) dispatcher(env ...string) door {
	w.t.Helper()
	p := w.spawnDispatcher("127.0.0.1:0", env...)
	return door{process: p, url: p.line("ready http=")}
}

// drain ends every program that still runs, cleanly.
func (w *world) drain() {
	w.t.Helper()
	for _, p := range w.all {
		p.drain()
	}
}

// ledger counts the lines of a tenant's ledger by call_id.
func (w *world) ledger(tenant string) map[string]int {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.data, "workspaces", tenant, "_", "ledger.txt"))
	if err != nil && !os.IsNotExist(err) {
		w.t.Fatal(err)
	}
	lines := map[string]int{}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) != 3 || !strings.HasSuffix(line, "\n") {
			w.t.Errorf("ledger line %q, want <key> <call_id> <unix_ns>", line)
			continue
		}
		lines[words[1]]++
	}
	return lines
}
