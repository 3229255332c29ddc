package faults

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/test/links"
)

// cluster is NATS servers as processes, three if a test does not ask for others, and the links between them.
type cluster struct {
	t       *testing.T
	clients []string // where each server listens for clients
	monitor []string // where each server answers about its state
	routes  []string // where each server listens for the others
	dirs    []string
	mesh    *links.Mesh
	servers []*process
	args    []string // more arguments of each server
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	return newClusterIn(t, "natsd", t.TempDir(), t.TempDir(), t.TempDir())
}

// newClusterIn starts a server on each directory; all run a program.
func newClusterIn(t *testing.T, program string, dirs ...string) *cluster {
	t.Helper()
	return newClusterOf(t, program, nil, dirs...)
}

// newClusterOf is newClusterIn with more arguments of each server.
func newClusterOf(t *testing.T, program string, args []string, dirs ...string) *cluster {
	t.Helper()
	c := &cluster{t: t, dirs: dirs, servers: make([]*process, len(dirs)), args: args}
	for range dirs {
		c.clients, c.routes, c.monitor = append(c.clients, queuetest.Addr(t)), append(c.routes, queuetest.Addr(t)), append(c.monitor,
			queuetest.Addr(t))
	}
	var err error
	if c.mesh, err = links.NewMesh(c.routes); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.mesh.Close(); err != nil {
			t.Error(err)
		}
	})
	for i := range dirs {
		c.run(i, program)
	}
	return c
}

// start starts a server, or starts it again on its data.
func (c *cluster) start(i int) {
	c.t.Helper()
	c.run(i, "natsd")
}

// run starts a server as another program.
func (c *cluster) run(i int, program string) {
	c.t.Helper()
	args := append(slices.Clone(c.args), "-addr", c.clients[i], "-monitor", c.monitor[i], "-dir", c.dirs[i])
	if len(c.dirs) > 1 { // a server with routes to nobody but itself waits for a majority for ever
		args = append(args, "-routes", strings.Join(c.mesh.Routes(i), ","))
	}
	c.servers[i] = spawn(c.t, fmt.Sprintf("NATS server %d", i), program, environment(nil), args...)
	c.servers[i].line("ready nats=")
}

func (c *cluster) url() string { return "nats://" + strings.Join(c.clients, ",nats://") }

// world returns a world on the cluster.
func (c *cluster) world() *world { return worldAt(c.t, c.url()) }

// threeCopies is the environment of programs on a cluster. Servers that share a disk
// have no room for the default bounds of three copies.
func threeCopies(more ...string) []string {
	return slices.Concat([]string{"HELVE_DURABILITY_REPLICAS=3", "HELVE_STREAMS_RESULTS_MAX_BYTES=1GiB", "HELVE_STREAMS_ONCE_MAX_BYTES=1GiB"},
		more)
}

// problem returns the body of /readyz.
func problem(t *testing.T, url string) string {
	t.Helper()
	var body struct {
		Checks map[string]string `json:"checks"`
	}
	if _, err := request(http.MethodGet, url+"/readyz", defaultTenant, nil, &body); err != nil {
		return ""
	}
	return fmt.Sprint(body.Checks)
}

// once checks that each call had at most one effect, and a call that succeeded one.
func (w *world) once(ended map[string]element) {
	w.t.Helper()
	lines := w.ledger(defaultTenant)
	for id, e := range ended {
		if n := lines[id]; n > 1 || n == 0 && e.outcome() == "success" {
			w.t.Errorf("%s ended in %s and has %d effects", id, e.outcome(), n)
		}
	}
}

// atNight reports whether there is the time of a night.
func atNight() bool { return os.Getenv("HELVE_TEST_NIGHTLY") != "" }

// nightly skips a test that takes too long, or needs too much of a machine, for every change.
// The steps outages and upgrade of .ci/run run those tests.
func nightly(t *testing.T) {
	t.Helper()
	if !atNight() {
		t.Skip("runs with HELVE_TEST_NIGHTLY=1, as in .ci/run outages upgrade")
	}
}

// longOutage is longer than a worker repeats the writes before an effect: 3 times, each
// with 5 s for the acknowledgement.
const longOutage = 20 * time.Second

// TestNoQuorum kills two of three servers for a while, as calls run. The dispatcher is not ready, names
// a stream, and refuses calls without accepting them; after the restart everything that was
// accepted ends.
func TestNoQuorum(t *testing.T) {
	nightly(t)
	t.Parallel()
	c := newCluster(t)
	w := c.world()
	w.worker(threeCopies("HELVE_WORKER_SLOTS=40")...)
	d := w.dispatcher(threeCopies()...)
	before := w.writers(5, 0, 0)
	done := d.execute(time.Minute, before...)
	if done.status != http.StatusOK {
		t.Fatalf("before the fault: %+v", done)
	}
	writers := w.writers(20, 300, 300)
	first := w.sendRunning(d, writers...)

	began := time.Now()
	c.servers[0].kill()
	c.servers[1].kill()
	await(t, "the end of readiness", func() bool { return ready(d.url) == http.StatusServiceUnavailable })
	t.Logf("not ready after %v: %s", time.Since(began).Round(time.Millisecond), problem(t, d.url))
	await(t, "a problem that names a stream", func() bool { return strings.Contains(problem(t, d.url), "HELVE_") })
	t.Logf("named after %v: %s", time.Since(began).Round(time.Millisecond), problem(t, d.url))
	refused := &call{ID: "refused", Tool: "debug.effect", Args: map[string]any{"key": "k"}, tenant: defaultTenant}
	await(t, "a refusal without delay", func() bool {
		asked := time.Now()
		a := d.execute(time.Second, refused)
		t.Logf("answered %d after %v", a.status, time.Since(asked))
		return a.status == http.StatusServiceUnavailable
	})
	last(time.Until(began.Add(longOutage)))
	c.start(0)
	c.start(1)
	back := time.Now()
	await(t, "readiness", func() bool { return ready(d.url) == http.StatusOK })
	t.Logf("ready %v after the restart", time.Since(back).Round(time.Millisecond))

	ended := w.settleAll(d, writers)
	w.wantOutcomes(ended, writers, "success", "outcome_unknown")
	w.allAgreed(<-first, ended)
	again := d.execute(time.Minute, before...)
	for i, e := range again.elements {
		if !e.same(&done.elements[i]) {
			t.Errorf("sent again after the restart: %+v, want the stored %+v", e, done.elements[i])
		}
	}
	w.once(ended)
}

// TestPartition separates one server from the others while calls run, with the clients of all
// servers still connected: those of the separated server move to another.
func TestPartition(t *testing.T) {
	nightly(t)
	t.Parallel()
	c := newCluster(t)
	w := c.world()
	w.worker(threeCopies("HELVE_WORKER_SLOTS=40")...)
	d := w.dispatcher(threeCopies()...)
	for i := range c.servers {
		writers := w.writers(10, 200, 200)
		first := w.sendRunning(d, writers...)
		began := time.Now()
		c.mesh.Around(i, (*links.Link).Cut)
		after := w.writers(5, 0, 0)
		ended := w.settleAll(d, slices.Concat(writers, after))
		t.Logf("server %d apart: all calls ended after %v", i, time.Since(began).Round(time.Millisecond))
		w.wantOutcomes(ended, writers, "success", "outcome_unknown")
		w.wantOutcomes(ended, after, "success")
		w.allAgreed(<-first, ended)
		w.once(ended)
		c.mesh.Around(i, (*links.Link).Mend)
		await(t, "readiness", func() bool { return ready(d.url) == http.StatusOK })
	}
}
