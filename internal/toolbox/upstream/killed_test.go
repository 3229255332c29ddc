package upstream

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
)

const workerArgument = "helve-test-worker"

// workerChild is a worker that starts a server, passes on the line it says, and stays.
func workerChild() {
	if len(os.Args) != 2 || os.Args[1] != workerArgument {
		return
	}
	s := aServer("s", "stays")
	child, err := s.start(context.Background(), zap.NewNop())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	line, _ := bufio.NewReader(child.out).ReadString('\n')
	fmt.Print(line)
	_, _ = io.Copy(io.Discard, os.Stdin) // until the test is over, whatever becomes of it
	os.Exit(0)
}

// TestKilledWorker: nothing of a server is left when its worker is killed.
func TestKilledWorker(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(queuetest.Context(t), self, workerArgument)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "HELVE_") })
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var pids [2]int
	if _, err := fmt.Fscan(out, &pids[0], &pids[1]); err != nil {
		t.Fatal(err)
	}
	for _, pid := range pids {
		if err := syscall.Kill(pid, 0); err != nil {
			t.Fatalf("the server and what it started are %v: %v", pids, err)
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	for _, pid := range pids {
		queuetest.Until(t, "it is gone", func() bool { return syscall.Kill(pid, 0) != nil })
	}
}
