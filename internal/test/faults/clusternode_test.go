package faults

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/test/links"
)

// metaLeader returns the server that leads the cluster's own group, which makes streams and
// consumers; -1 if server i knows none.
func (c *cluster) metaLeader(i int) int {
	c.t.Helper()
	res, err := patient.Get("http://" + c.monitor[i] + "/jsz")
	if err != nil {
		return -1
	}
	defer res.Body.Close()
	var jsz struct {
		Meta struct {
			Leader string `json:"leader"`
		} `json:"meta_cluster"`
	}
	if err := json.NewDecoder(res.Body).Decode(&jsz); err != nil || jsz.Meta.Leader == "" {
		return -1
	}
	return slices.IndexFunc(c.routes, func(route string) bool {
		return strings.HasSuffix(route, ":"+strings.TrimPrefix(jsz.Meta.Leader, "helve-"))
	})
}

// whole waits until each stream has a leader and two more copies that are current.
func (c *cluster) whole(w *world) {
	c.t.Helper()
	last := errors.New("no stream was looked at")
	defer func() {
		if last != nil {
			c.t.Log(last)
		}
	}()
	await(c.t, "three current copies of each stream", func() bool {
		last = c.behind(w)
		return last == nil
	})
}

func (c *cluster) behind(w *world) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	all, n := w.observe().js.ListStreams(ctx), 0
	for s := range all.Info() {
		n++
		if s.Cluster == nil || s.Cluster.Leader == "" || len(s.Cluster.Replicas) != 2 {
			return fmt.Errorf("%s has the copies %+v", s.Config.Name, s.Cluster)
		}
		for _, r := range s.Cluster.Replicas {
			if !r.Current || r.Offline {
				return fmt.Errorf("%s: the copy of %s is not current", s.Config.Name, r.Name)
			}
		}
	}
	if all.Err() == nil && n == 0 {
		return errors.New("there are no streams")
	}
	return all.Err()
}

// TestMetaLeaderKilled kills the server that leads the cluster's own group while calls run.
// Calls go on, another server leads, and a worker of a new pool gets its consumers, which
// only that leader makes.
func TestMetaLeaderKilled(t *testing.T) {
	nightly(t)
	t.Parallel()
	c := newCluster(t)
	w := c.world()
	w.worker(threeCopies("HELVE_WORKER_SLOTS=40")...)
	d := w.dispatcher(threeCopies()...)
	c.whole(w)
	i := c.metaLeader(0)
	if i < 0 {
		t.Fatal("the cluster has no leader")
	}
	writers := w.writers(20, 300, 300)
	first := w.sendRunning(d, writers...)
	began := time.Now()
	c.servers[i].kill()
	other := (i + 1) % len(c.servers)
	await(t, "another leader", func() bool { n := c.metaLeader(other); return n >= 0 && n != i })
	t.Logf("server %d led, server %d leads after %v", i, c.metaLeader(other), time.Since(began).Round(time.Millisecond))
	ended := w.settleAll(d, writers)
	w.wantOutcomes(ended, writers, "success") // no worker died
	w.allAgreed(<-first, ended)
	w.worker(threeCopies("HELVE_WORKER_POOLS=second")...) // its consumers are made now
	after := w.writers(5, 0, 0)
	w.wantOutcomes(w.settleAll(d, after), after, "success")
	c.start(i)
	c.whole(w)
	w.once(ended)
	w.sealedAll(d)
}

// TestFullDiskOnOneServer fills the disk of one server of three while calls run: the other two
// go on, nothing is lost or done twice, and the server catches up when it has room. The disk
// is a small tmpfs, because a limit of JetStream would be known before streams are placed and
// is not what happens to a server that shares its disk.
func TestFullDiskOnOneServer(t *testing.T) {
	nightly(t)
	t.Parallel()
	disk := t.TempDir()
	if err := syscall.Mount("helve-test", disk, "tmpfs", 0, "size=96m"); errors.Is(err, os.ErrPermission) {
		t.Skip("the full disk of one server was NOT tested: only root may mount a small disk")
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) })
	data := filepath.Join(disk, "nats")
	c := newClusterIn(t, "natsd", data, t.TempDir(), t.TempDir())
	w := c.world()
	w.worker(threeCopies("HELVE_WORKER_SLOTS=40")...)
	d := w.dispatcher(threeCopies()...)
	c.whole(w)
	writers := w.writers(20, 300, 300)
	first := w.sendRunning(d, writers...)
	filler := filepath.Join(disk, "filler")
	fill(t, filler)
	during := w.writers(60, 0, 0)
	all := slices.Concat(writers, during)
	ended := w.settleAll(d, all)
	w.wantOutcomes(ended, all, "success")
	w.allAgreed(<-first, ended)
	await(t, "readiness with a full disk", func() bool { return ready(d.url) == http.StatusOK })
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	c.whole(w)
	after := w.writers(5, 0, 0)
	w.wantOutcomes(w.settleAll(d, after), after, "success")
	w.once(ended)
	w.sealedAll(d)
}

// fill writes a file until its device has no room.
func fill(t *testing.T, name string) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, size := range []int{1 << 20, 4 << 10, 1} {
		for err = nil; err == nil; {
			_, err = f.Write(make([]byte, size))
		}
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
}

// TestBackupRestored stops everything, copies the directories of three servers, and continues
// with more calls. Then a cluster starts on the copies: calls that had ended keep their
// result, also if they are sent again, calls that waited run, once, and the trail is intact.
// Calls that were accepted after the copy are not known.
func TestBackupRestored(t *testing.T) {
	nightly(t)
	t.Parallel()
	c := newCluster(t)
	w := c.world()
	worker := w.worker(threeCopies()...)
	d := w.dispatcher(threeCopies()...)
	done := w.writers(20, 0, 0)
	ended := w.settleAll(d, done)
	w.sealedAll(d)
	worker.drain()
	waiting := w.writers(10, 0, 0)
	if a := d.execute(0, waiting...); a.status != http.StatusOK {
		t.Fatalf("calls that wait are answered %+v", a)
	}
	d.drain()
	for _, s := range c.servers {
		s.drain()
	}
	copies := []string{t.TempDir(), t.TempDir(), t.TempDir()}
	for i, dir := range c.dirs {
		if err := os.CopyFS(copies[i], os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range c.servers {
		c.start(i)
	}
	d = w.dispatcher(threeCopies()...)
	later := w.writers(1, 0, 0)
	await(t, "acceptance", func() bool { return d.execute(0, later...).status == http.StatusOK })
	d.kill()
	for _, s := range c.servers {
		s.kill()
	}

	c.dirs = copies
	for i := range c.servers {
		c.start(i)
	}
	d = w.dispatcher(threeCopies()...)
	await(t, "readiness", func() bool { return ready(d.url) == http.StatusOK })
	c.whole(w)
	if e, status := d.get(later[0]); status != http.StatusNotFound {
		t.Errorf("a call that was accepted after the backup is answered %d %+v, want 404", status, e)
	}
	w.worker(threeCopies()...)
	await(t, "calls that waited in the backup", func() bool {
		for _, x := range waiting {
			if e, _ := d.get(x); !e.ended() {
				return false
			}
		}
		return true
	})
	again := w.settleAll(d, slices.Concat(done, waiting))
	w.wantOutcomes(again, waiting, "success")
	for id, e := range ended {
		if got := again[id]; !got.same(&e) {
			t.Errorf("%s is answered %+v after the restore, before it was %+v", id, got, e)
		}
	}
	w.once(again)
	w.sealedAll(d)
}

// TestOldCopyOfOneServer replaces the data of one server with an older copy, as a restored
// disk has it, while the others go on: it catches up, and nothing that the others
// acknowledged meanwhile is lost.
func TestOldCopyOfOneServer(t *testing.T) {
	nightly(t)
	t.Parallel()
	c := newCluster(t)
	w := c.world()
	w.worker(threeCopies()...)
	d := w.dispatcher(threeCopies()...)
	before := w.writers(10, 0, 0)
	ended := w.settleAll(d, before)
	c.whole(w)
	c.servers[0].drain()
	old := t.TempDir()
	if err := os.CopyFS(old, os.DirFS(c.dirs[0])); err != nil {
		t.Fatal(err)
	}
	c.start(0)
	c.whole(w)
	meanwhile := w.writers(20, 0, 0)
	for id, e := range w.settleAll(d, meanwhile) {
		ended[id] = e
	}
	c.servers[0].drain()
	c.dirs[0] = old
	c.start(0)
	c.whole(w)
	c.mesh.Around(1, (*links.Link).Cut) // the old copy is needed for a majority now
	all := slices.Concat(before, meanwhile)
	again := w.settleAll(d, all)
	for id, e := range ended {
		if got := again[id]; !got.same(&e) {
			t.Errorf("%s is answered %+v after the restore, before it was %+v", id, got, e)
		}
	}
	c.mesh.Around(1, (*links.Link).Mend)
	c.whole(w)
	w.once(again)
	w.sealedAll(d)
}
