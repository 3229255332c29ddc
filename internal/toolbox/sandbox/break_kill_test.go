//go:build linux

package sandbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/test/testtime"
	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/sandbox"
	"github.com/helve-dev/helve/tool"
)

func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// A child that is killed from outside, as on a system short of memory, costs the call it
// served; the pool has a new child for the next, and no process or descriptor is left.
func TestKilledFromOutside(t *testing.T) {
	var killed kills
	p := newPool(t, sandbox.Options{Slots: 1, Killed: killed.add})
	const many = 30
	serve := func() error {
		host := hostFunc(func(ctx context.Context, _ js.Op, _ json.RawMessage) (json.RawMessage, error) {
			for _, pid := range p.Pids() {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
			<-ctx.Done()
			return nil, ctx.Err()
		})
		_, err := p.Run(t.Context(), sandbox.Job{Tenant: "t", Code: "await utils.callTool('x', {})", Host: host})
		return err
	}
	// A starting child may have been killed too; its start is not repeated.
	settled := func() {
		for range 20 {
			v, err := p.Run(t.Context(), sandbox.Job{Tenant: "t", Code: "return 1"})
			if err == nil && string(v) == "1" {
				return
			}
		}
		t.Fatal("no script runs any more")
	}
	wants(t, serve(), tool.ExecutionError, "the sandbox ended")
	settled()
	first := descriptors(t)
	for range many {
		wants(t, serve(), tool.ExecutionError, "the sandbox ended")
		settled()
	}
	// A child has three, and some children may be starting, or not be waited for yet.
	if now := descriptors(t); now >= first+many {
		t.Errorf("there are %d descriptors after %d kills, and %d after one", now, many+1, first)
	}
	if got := killed.take(); got["protocol"] < many+1 || len(got) != 1 {
		t.Errorf("killed for %v, want %d times for protocol", got, many+1)
	}
}

// The end of an idle child is noticed when it happens.
func TestKilledWhileIdle(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Options{Slots: 1})
	for range 3 {
		if v, err := p.Run(t.Context(), sandbox.Job{Tenant: "t", Code: "return 1"}); err != nil || string(v) != "1" {
			t.Fatalf("Run = %s, %v", v, err)
		}
		before := p.Pids()
		for _, pid := range before {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		until(t, func() bool {
			now := p.Pids()
			return !slices.ContainsFunc(before, func(pid int) bool { return slices.Contains(now, pid) })
		})
	}
}

// until waits until so returns true.
func until(t *testing.T, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(testtime.Patience()); !so(); runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatal("waited in vain")
		}
	}
}

// A child that is stopped costs its call the wall limit, but not more.
func TestStoppedFromOutside(t *testing.T) {
	t.Parallel()
	var killed kills
	p := newPool(t, sandbox.Options{Slots: 1, Killed: killed.add, Limits: sandbox.Limits{Wall: 300 * time.Millisecond}})
	host := hostFunc(func(context.Context, js.Op, json.RawMessage) (json.RawMessage, error) {
		for _, pid := range p.Pids() {
			if syscall.Kill(pid, syscall.SIGSTOP) != nil {
				continue // it is gone
			}
			// On a busy machine its threads continue for a while, and might answer.
			for stat := statOf(fmt.Sprint(pid)); len(stat) > 0 && stat[0] != "T" && stat[0] != "Z"; stat = statOf(fmt.Sprint(pid)) {
				runtime.Gosched()
			}
		}
		return json.RawMessage("1"), nil
	})
	_, err := p.Run(t.Context(), sandbox.Job{Tenant: "t", Code: "return await utils.callTool('x', {})", Host: host})
	wants(t, err, tool.Timeout, "within")
	if got := killed.take(); got["wall"] != 1 {
		t.Errorf("killed for %v, want for wall", got)
	}
}
