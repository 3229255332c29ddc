package docker

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/moby/moby/client"

	"github.com/helve-dev/helve/internal/test/testtime"
	"github.com/helve-dev/helve/tool"
)

// daemon is an engine of the test's own, which it may kill.
type daemon struct {
	t    *testing.T
	dir  string
	host string
	cmd  *exec.Cmd
}

// ownDaemon starts an engine that has a small image for the shell.
func ownDaemon(t *testing.T) *daemon {
	t.Helper()
	image := smallImage(t)
	program, err := exec.LookPath("dockerd")
	if err != nil || os.Getuid() != 0 {
		t.Log("NOT RUN with an engine that is killed: the test must be root and needs dockerd, as under .ci/run")
		t.Skip("without an own engine")
	}
	dir, err := os.MkdirTemp("/var/tmp", "helve-dockerd-") //nolint:usetesting // an overlay needs a disk, and a socket a short name
	if err != nil {
		t.Fatal(err)
	}
	e := &daemon{t: t, dir: dir, host: "unix://" + filepath.Join(dir, "docker.sock")}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	e.start(program)
	t.Cleanup(func() {
		e.stop()
		if log, err := os.ReadFile(filepath.Join(dir, "log")); t.Failed() && err == nil {
			t.Logf("the engine's log ends with\n%s", log[max(0, len(log)-4000):])
		}
	})
	engine := e.client()
	defer engine.Close()
	ctx, cancel := context.WithTimeout(t.Context(), testtime.Patience())
	defer cancel()
	res, err := engine.ImageImport(ctx, client.ImageImportSource{Source: bytes.NewReader(image), SourceName: "-"}, "small:1",
		client.ImageImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, res); err != nil {
		t.Fatal(err)
	}
	return e
}

// smallImage returns an archive of a shell and a few programs from the image of the tests.
func smallImage(t *testing.T) []byte {
	t.Helper()
	containers, _ := genuine(t, Options{})
	const script = `files="/bin/sh $(for p in dd tar timeout sleep cat; do command -v $p; done)"
libs=$(for f in $files; do ldd $f; done | grep -o '/[^ ]*' | sort -u)
tar -chf - --exclude=x $files $libs 2>/dev/null`
	c := shell(script)
	c.MaxOutput = mostOutput
	ran, err := containers.Run(t.Context(), c)
	if err != nil || ran.Code != 0 || ran.StdoutCut > 0 {
		t.Fatalf("no small image: %d bytes, %d too many, %q, %v", len(ran.Stdout), ran.StdoutCut, ran.Stderr, err)
	}
	return ran.Stdout
}

func (e *daemon) start(program string) {
	e.t.Helper()
	log, err := os.OpenFile(filepath.Join(e.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		e.t.Fatal(err)
	}
	defer log.Close()
	e.cmd = exec.Command(program, "--host", e.host, "--data-root", e.dir+"/data", "--exec-root", e.dir+"/exec", "--pidfile", e.dir+"/pid",
		"--iptables=false", "--bridge=none")
	e.cmd.Stdout, e.cmd.Stderr = log, log
	if err := e.cmd.Start(); err != nil {
		e.t.Fatal(err)
	}
	engine := e.client()
	defer engine.Close()
	until(e.t, "the engine answers", func() bool {
		_, err := engine.Ping(e.t.Context(), client.PingOptions{})
		return err == nil
	})
}

// kill ends the engine as a crash does; its containers go on. The kernel ends the
// engine's containerd, which the next engine must not find running.
func (e *daemon) kill() {
	e.t.Helper()
	pid, err := os.ReadFile(filepath.Join(e.dir, "exec/containerd/containerd.pid"))
	if err != nil {
		e.t.Fatal(err)
	}
	_ = e.cmd.Process.Kill()
	_ = e.cmd.Wait()
	until(e.t, "containerd is gone", func() bool {
		_, err := os.Stat("/proc/" + strings.TrimSpace(string(pid)))
		return os.IsNotExist(err)
	})
}

func (e *daemon) stop() {
	_ = e.cmd.Process.Signal(os.Interrupt) // fails where it has been killed
	_ = e.cmd.Wait()
	// Mounts that the engine leaves, one of them when it is killed, keep the directory.
	for _, mount := range []string{"/exec/netns/default", "/data"} {
		_ = exec.Command("umount", e.dir+mount).Run() // it takes a moment, and fails where there is none
	}
}

func (e *daemon) client() *client.Client {
	e.t.Helper()
	engine, err := client.New(client.WithHost(e.host))
	if err != nil {
		e.t.Fatal(err)
	}
	return engine
}

// containers returns the containers of a user on the engine.
func (e *daemon) containers(o Options) (tool.Containers, *Docker) {
	e.t.Helper()
	o.Host, o.Images = e.host, map[string]string{"shell": "small:1"}
	_, d := open(e.t, o)
	containers, err := d.For(tenantOf(e.t), "u1")
	if err != nil {
		e.t.Fatal(err)
	}
	return containers, d
}

// until waits for a condition, with a generous deadline.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(time.Minute); !holds(); {
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("waited a minute until %s", strings.TrimSpace(what))
		}
	}
}
