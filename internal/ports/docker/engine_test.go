package docker

import (
	"strings"
	"testing"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"github.com/helve-dev/helve/internal/ports/docker/dockertest"
	"github.com/helve-dev/helve/tool"
)

// genuine returns the containers of a user on a real engine.
func genuine(t *testing.T, o Options, within ...tool.Scopes) (tool.Containers, *Docker) {
	t.Helper()
	o.Host, o.Images = dockertest.Genuine(t), dockertest.Images()
	_, d := open(t, o)
	containers, err := d.For(tenantOf(t), "u1", within...)
	if err != nil {
		t.Fatal(err)
	}
	return containers, d
}

// shell returns a run of a shell script.
func shell(script string) tool.Container {
	return tool.Container{Image: "shell", Command: []string{"sh", "-c", script}}
}

// confined are commands whose output shows what a container is kept to.
var confined = []struct{ name, script, want string }{
	{"user", `id -u; id -g`, "65534\n65534"},
	{"capabilities", `grep CapEff /proc/self/status | tr -d '\t'`, "CapEff:0000000000000000"},
	{"new privileges", `grep NoNewPrivs /proc/self/status | tr -d '\t'`, "NoNewPrivs:1"},
	{"system calls", `grep Seccomp: /proc/self/status | tr -d '\t'`, "Seccomp:2"},
	{"root", `touch /x 2>/dev/null || echo refused`, "refused"},
	{"home", `echo $HOME; touch ~/x && echo written`, "/tmp\nwritten"},
	{"work", `pwd; echo '#!/bin/sh
echo ran' > p && chmod +x p && ./p`, "/work\nran"},
	{"tmp", `cp /bin/true /tmp/b && /tmp/b 2>/dev/null || echo refused`, "refused"},
	{"memory", `cat /sys/fs/cgroup/memory.max 2>/dev/null || cat /sys/fs/cgroup/memory/memory.limit_in_bytes`, "536870912"},
	{"processes", `cat /sys/fs/cgroup/pids.max 2>/dev/null || cat /sys/fs/cgroup/pids/pids.max`, "100"},
	{"cpu", `cut -d' ' -f1 /sys/fs/cgroup/cpu.max 2>/dev/null || cat /sys/fs/cgroup/cpu/cpu.cfs_quota_us`, "100000"},
	{"open files", `ulimit -n`, "1024"},
	{"network", `ls /sys/class/net`, "lo"},
	{"addresses", `bash -c '(exec 3<>/dev/tcp/192.0.2.1/80) 2>&1 | grep -om1 "Network is unreachable"'`, "Network is unreachable"},
	{"names", `getent hosts localhost >/dev/null; getent hosts example.org || echo none`, "none"},
	{"engine", `ls /var/run/docker.sock /run/docker.sock 2>/dev/null | wc -l`, "0"},
	{"other processes", `ls -d /proc/[0-9]* | wc -l | awk '{print ($1 < 10)}'`, "1"},
	{"files and input", `cat a.txt; cat`, "file\ninput"},
}

func TestGenuineConfinement(t *testing.T) {
	containers, _ := genuine(t, Options{})
	for _, tt := range confined {
		c := shell(tt.script)
		c.Files, c.Stdin = map[string][]byte{"a.txt": []byte("file\n")}, []byte("input")
		ran, err := containers.Run(t.Context(), c)
		if got := strings.TrimSpace(string(ran.Stdout)); err != nil || got != tt.want {
			t.Errorf("%s: %q (stderr %q), %v, want %q", tt.name, got, ran.Stderr, err, tt.want)
		}
	}
}

// tenantOf returns a tenant that no other test uses on the engine.
func tenantOf(t *testing.T) string { return "test-" + strings.ToLower(t.Name()) }

// wantNoneLeft waits until the containers of ended runs are removed.
func wantNoneLeft(t *testing.T, d *Docker) {
	t.Helper()
	d.removal.Wait()
	if left := present(t, d); len(left) > 0 {
		t.Errorf("%d containers are left, the first is %+v", len(left), left[0])
	}
}

// present lists the containers of the test that are on the engine.
func present(t *testing.T, d *Docker) []container.Summary {
	t.Helper()
	mine := client.Filters{}.Add("label", labelTenant+"="+tenantOf(t))
	list, err := d.engine.ContainerList(t.Context(), client.ContainerListOptions{All: true, Filters: mine})
	if err != nil {
		t.Fatal(err)
	}
	return list.Items
}
