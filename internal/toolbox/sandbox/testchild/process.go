package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/helve-dev/helve/internal/ports/confine"
	"github.com/helve-dev/helve/internal/toolbox/js"
	"github.com/helve-dev/helve/internal/toolbox/sandbox"
	"github.com/helve-dev/helve/internal/toolbox/sandbox/child"
	"github.com/helve-dev/helve/internal/toolbox/sandbox/wire"
)

// processLies misuse the process. The first ones run without a lockdown, as if it had been
// broken.
var processLies = map[string]lie{
	"forks": func(c *conn, _ *wire.Run) {
		_, err := os.StartProcess("/proc/self/exe", []string{"testchild", "linger"}, &os.ProcAttr{
			Files: []*os.File{nil, nil, os.Stderr, c.orders, c.answers},
		})
		if err != nil {
			panic(err)
		}
		c.Close()
		linger()
	},
	"exits":  func(*conn, *wire.Run) { os.Exit(0) },
	"panics": func(*conn, *wire.Run) { panic("of the child") },
	"grows": func(c *conn, r *wire.Run) {
		ballast = make([]byte, 50<<20)
		for i := range ballast {
			ballast[i] = 1
		}
		runs++
		c.done(r, fmt.Sprint(runs))
	},
	"says more": func(c *conn, _ *wire.Run) {
		for range 1 << 20 {
			fmt.Fprintln(os.Stderr, strings.Repeat("x", 1000))
		}
	},

	"locked, opens a file":     locked(func() error { _, err := os.Open("/etc/passwd"); return err }),
	"locked, writes a file":    locked(func() error { return os.WriteFile("helve-sandbox-test", nil, 0o600) }),
	"locked, opens a socket":   locked(func() error { _, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0); return err }),
	"locked, signals its pool": locked(func() error { return syscall.Kill(os.Getppid(), syscall.SIGTERM) }),
	"locked, signals all":      locked(func() error { return syscall.Kill(-1, syscall.SIGKILL) }),
	"locked, forks":            locked(func() error { _, err := os.StartProcess("/proc/self/exe", nil, &os.ProcAttr{}); return err }),
}

var (
	ballast []byte
	runs    int
)

// locked tries something in a process that is locked down as a correct child is.
func locked(try func() error) lie {
	return func(c *conn, r *wire.Run) {
		err := confine.Apply(confine.Script{AddressSpace: uint64(2 * setup.Memory), CPUSeconds: setup.CPUSeconds, Keep: []int{3, 4}})
		if err != nil {
			panic(err)
		}
		if err := try(); err == nil {
			c.done(r, `"it worked"`)
		}
		c.done(r, `"refused"`)
	}
}

// worker runs a script that never ends in each of three children, reports that, and waits
// to be killed.
func worker() {
	p, err := sandbox.New(sandbox.Options{Slots: 3, Program: []string{"/proc/self/exe", child.Argument}})
	if err != nil {
		panic(err)
	}
	running := make(chan struct{})
	for i := range 3 {
		go func() {
			_, err := p.Run(context.Background(), sandbox.Job{
				Tenant: fmt.Sprint(i),
				Code:   "await utils.callTool('x', {}); while (true);",
				Host:   ready(running),
			})
			panic(err) // the run does not end before this process does
		}()
		<-running
	}
	fmt.Fprintln(os.Stdout, "running")
	linger()
}

// ready is a host that signals when it gets a request.
type ready chan struct{}

func (r ready) Do(context.Context, js.Op, json.RawMessage) (json.RawMessage, error) {
	r <- struct{}{}
	return json.RawMessage("null"), nil
}
