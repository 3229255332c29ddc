//go:build linux

package programs_test

import (
	"os"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/ports/programs"
	"github.com/helve-dev/helve/tool"
)

func TestLimits(t *testing.T) {
	everySpace(t, func(t *testing.T, space string) {
		port, _ := openIn(t, space, programs.Options{})
		// A launcher with the race detector has so much data itself that it limits the
		// program only when that runs.
		p := sh("sleep 0.3; ulimit -d; ulimit -c; ulimit -n; ulimit -d unlimited 2>/dev/null && echo raised; true")
		p.Memory = 300 << 20
		if got := string(run(t, port, p).Stdout); got != "307200\n0\n4096\n" {
			t.Errorf("limits: %q", got)
		}
		p = sh("truncate -s 3G big; echo $?")
		if got := string(run(t, port, p).Stdout); strings.HasPrefix(got, "0") {
			t.Errorf("a file of 3 GiB was made: %q", got)
		}
		// tail keeps the last line, which does not end here.
		p = tool.Program{Name: "tail", Args: []string{"-n1", "/dev/zero"}, Memory: 64 << 20}
		if ran := run(t, port, p); ran.Code == 0 || !strings.Contains(string(ran.Stderr), "memory") {
			t.Errorf("beyond its memory: %+v, %s", ran.Code, ran.Stderr)
		}
	})
}

// Processes are counted in a user namespace, and not those of root.
func TestManyProcesses(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("NOT TESTED: the kernel counts no processes of root; step unprivileged of .ci/run tests it as another user")
	}
	limited := 0
	everySpace(t, func(t *testing.T, space string) {
		if !strings.Contains(space, "another user") {
			return // the host's own users are not limited
		}
		limited++
		port, _ := openIn(t, space, programs.Options{})
		ran := run(t, port, sh("i=0; while [ $i -lt 3000 ]; do sleep 100 > /dev/null 2>&1 & i=$((i+1)); done; echo all"))
		if ran.Code == 0 || !strings.Contains(string(ran.Stderr), "ork") {
			t.Errorf("3000 processes were started: %+v", ran)
		}
	})
	if limited == 0 {
		t.Skip("NOT TESTED: this host allows no namespaces that are made as another user")
	}
}
