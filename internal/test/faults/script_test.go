package faults

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// scripts returns the process ids of a worker's sandbox children.
func (p *process) scripts() (pids []string) {
	p.t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		p.t.Fatal(err)
	}
	for _, file := range stats {
		dir := filepath.Dir(file)
		line, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err != nil || !strings.Contains(string(line), "helve-sandbox-child") {
			continue // it has ended, or is another
		}
		stat, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(stat), ") ") // state, parent, …
		if f := strings.Fields(rest); len(f) > 1 && f[1] == strconv.Itoa(p.cmd.Process.Pid) {
			pids = append(pids, filepath.Base(dir))
		}
	}
	return pids
}

// TestWorkerKilledWhileScriptsRun: none of its children outlives it, and the calls run
// elsewhere.
func TestWorkerKilledWhileScriptsRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const auto = "HELVE_PROFILE=auto" // no consent is needed
	victim := w.worker(auto)
	d := w.dispatcher(auto)
	made := w.call(defaultTenant, "made", "create_tool", map[string]any{
		"name": "spin", "description": "Spins.", "parameters": `{"type":"object"}`, "code": "for (;;) {}",
		"limits": map[string]any{"cpu_seconds": 3},
	})
	made.user = "u1" // whose the tool is
	if a := d.execute(time.Minute, made); a.status != 200 || a.elements[0].outcome() != "success" {
		t.Fatalf("create_tool was answered %+v", a)
	}
	await(t, "the dispatcher knows the tool", func() bool {
		status, err := request(http.MethodGet, d.url+"/v1/tools/spin?user=u1", defaultTenant, nil, nil)
		return err == nil && status == http.StatusOK
	})
	var spinning []*call
	for i := range 3 {
		c := w.call(defaultTenant, fmt.Sprintf("spin-%d", i), "spin", map[string]any{})
		c.user = made.user
		spinning = append(spinning, c)
	}
	if a := d.execute(0, spinning...); a.status != 200 {
		t.Fatalf("the scripts were answered %+v", a)
	}
	await(t, "scripts run", func() bool { return len(victim.scripts()) >= len(spinning) })
	children := victim.scripts()
	victim.kill()
	await(t, "no child is left", func() bool {
		for _, pid := range children {
			line, err := os.ReadFile("/proc/" + pid + "/cmdline")
			if err == nil && strings.Contains(string(line), "helve-sandbox-child") {
				return false
			}
		}
		return true
	})
	w.worker(auto)
	for _, c := range spinning {
		if e := d.settle(t, c); e.outcome() != "timeout" || e.Attempt < 2 {
			t.Errorf("%s ended in %+v, want timeout at a second attempt", c.ID, e)
		}
	}
}
