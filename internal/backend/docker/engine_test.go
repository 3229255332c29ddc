package docker

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
)

// genuine returns containers of the machine's own Docker engine.
func genuine(t *testing.T, o Options) tool.Containers {
	t.Helper()
	if _, err := os.Stat("/var/run/docker.sock"); err != nil && os.Getenv("DOCKER_HOST") == "" {
		t.Skip("SKIPPED: there is no Docker engine; install docker.io and start it, or set DOCKER_HOST")
	}
	o.Images, o.Pull = map[string]string{"shell": "busybox:1.37"}, true
	d, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	containers, err := d.For("acme", "u1")
	if err != nil {
		t.Fatal(err)
	}
	return containers
}

// confined are commands whose output shows what a container is kept to.
var confined = []struct{ name, script, want string }{
	{"user", `id -u; id -g`, "65534\n65534"},
	{"capabilities", `grep CapEff /proc/self/status | tr -d '\t'`, "CapEff:0000000000000000"},
	{"new privileges", `grep NoNewPrivs /proc/self/status | tr -d '\t'`, "NoNewPrivs:1"},
	{"root", `touch /x 2>/dev/null || echo refused`, "refused"},
	{"work", `pwd; echo '#!/bin/sh
echo ran' > p && chmod +x p && ./p`, "/work\nran"},
	{"tmp", `cp /bin/busybox /tmp/b && /tmp/b true 2>/dev/null || echo refused`, "refused"},
	{"network", `ls /sys/class/net`, "lo"},
	{"memory", `cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory.swap.max`, "536870912\n0"},
	{"processes", `cat /sys/fs/cgroup/pids.max`, "100"},
	{"cpu", `cat /sys/fs/cgroup/cpu.max`, "100000 100000"},
	{"files and input", `cat a.txt; cat`, "file\ninput"},
}

func TestRealEngine(t *testing.T) {
	containers := genuine(t, Options{})
	for _, tt := range confined {
		ran, err := containers.Run(t.Context(), tool.Container{
			Image: "shell", Command: []string{"sh", "-c", tt.script}, Files: map[string][]byte{"a.txt": []byte("file\n")}, Stdin: []byte("input"),
		})
		if got := strings.TrimSpace(string(ran.Stdout)); err != nil || got != tt.want {
			t.Errorf("%s: %q (stderr %q), %v, want %q", tt.name, got, ran.Stderr, err, tt.want)
		}
	}
	ran, err := containers.Run(t.Context(), tool.Container{Image: "shell", Command: []string{"sh", "-c", "echo begun; sleep 60"}, Timeout: 2 * time.Second})
	if err != nil || !ran.TimedOut || string(ran.Stdout) != "begun\n" {
		t.Errorf("too long: %+v, %v", ran, err)
	}
	ran, err = containers.Run(t.Context(), tool.Container{Image: "shell", Command: []string{"yes"}})
	if err != nil || !ran.Flooded || len(ran.Stdout) != defaultOutput {
		t.Errorf("a flood: kept %d, flooded %v, %v", len(ran.Stdout), ran.Flooded, err)
	}
	ran, err = containers.Run(t.Context(), tool.Container{Image: "shell", Command: []string{"sh", "-c", "x=1; while :; do x=$x$x; done"}})
	if err != nil || !ran.OutOfMemory {
		t.Errorf("too much memory: %+v, %v", ran, err)
	}
	ran, err = containers.Run(t.Context(), tool.Container{Image: "shell", Command: []string{"false"}})
	if err != nil || ran.Code != 1 {
		t.Errorf("exit status %d, %v, want 1", ran.Code, err)
	}
	_, err = containers.Run(t.Context(), tool.Container{Image: "shell", Command: []string{"no-such-program"}})
	wantKind(t, err, tool.ExecutionError, "could not start the container")
}
