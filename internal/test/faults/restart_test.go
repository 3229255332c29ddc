package faults

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// TestRollingRestart restarts every part of a system one after the other under load: workers,
// dispatchers, and the servers of a NATS cluster. No call fails.
func TestRollingRestart(t *testing.T) {
	nightly(t)
	t.Parallel()
	f := fleetOn(t, newCluster(t))
	f.roll("workers", present, threeCopies()...)
	f.roll("dispatchers", present, threeCopies()...)
	f.rollNATS("natsd")
	f.settled()
}

// TestNATSUpgrade replaces the servers of a cluster of the previous minor version by those of
// the present one under load, one after the other, and the first one back again.
func TestNATSUpgrade(t *testing.T) {
	nightly(t)
	t.Parallel()
	const program = "natsprevious"
	build := exec.Command("go", "build", "-C", program, "-trimpath", "-ldflags=-s", "-o", filepath.Join(programs, program), ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the previous NATS server: %v\n%s", err, out)
	}
	f := fleetOn(t, newClusterIn(t, program, t.TempDir(), t.TempDir(), t.TempDir()))
	f.rollNATS("natsd")
	f.settled()
}

// fleetOn starts two workers and two dispatchers on a cluster, and their load.
func fleetOn(t *testing.T, c *cluster) *fleetOf {
	t.Helper()
	w := c.world()
	f := &fleetOf{w: w, cluster: c}
	for range 2 {
		f.workers = append(f.workers, w.worker(threeCopies()...))
	}
	for range 2 {
		f.doors = append(f.doors, w.dispatcher(threeCopies()...))
	}
	f.load = w.startLoad(f.doors...)
	f.load.more(60)
	return f
}

// rollNATS restarts the servers of the cluster one after the other as another program, each
// when all copies of all streams are current.
func (f *fleetOf) rollNATS(program string) {
	f.w.t.Helper()
	for i := range f.cluster.servers {
		f.w.t.Logf("server %d leaves after %d calls", i, f.load.done())
		began := time.Now()
		f.cluster.servers[i].drain()
		f.w.t.Logf("server %d left after %v", i, time.Since(began).Round(time.Millisecond))
		f.load.more(60)
		f.cluster.run(i, program)
		f.current()
		f.load.more(60)
	}
}

// current waits until every copy of every stream is current and the dispatchers are ready.
func (f *fleetOf) current() {
	f.w.t.Helper()
	behind := ""
	await(f.w.t, "current copies of all streams", func() bool {
		behind = ""
		streams := f.w.observe().js.ListStreams(f.w.t.Context())
		for s := range streams.Info() {
			behind += late(s)
		}
		return streams.Err() == nil && behind == ""
	})
	for _, d := range f.doors {
		await(f.w.t, "readiness of "+d.name, func() bool { return ready(d.url) == http.StatusOK })
	}
}

// late describes the copies of a stream that are not current.
func late(s *jetstream.StreamInfo) (all string) {
	if s.Cluster == nil || s.Cluster.Leader == "" || len(s.Cluster.Replicas) != 2 {
		return s.Config.Name + " has no leader or not three copies;"
	}
	for _, r := range s.Cluster.Replicas {
		if r.Offline || !r.Current {
			all += fmt.Sprintf("%s of %s;", s.Config.Name, r.Name)
		}
	}
	return all
}

// settled ends the load and checks what is stored.
func (f *fleetOf) settled() {
	f.w.t.Helper()
	f.load.end()
	f.w.audited(f.doors[0])
	f.load.onceEach(f.w.t)
	f.w.settled(f.doors[0])
}
