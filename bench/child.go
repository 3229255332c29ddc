package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"runtime/pprof"
	"sync"
)

// The roles of processes.
const (
	roleBroker     = "broker"
	roleEcho       = "echo"
	roleMCP        = "mcp-server"
	roleFront      = "floor-front"
	roleTaker      = "floor-worker"
	roleDispatcher = "dispatcher"
	roleWorker     = "worker"
	roleCaller     = "caller"
	roleGate       = "gate"
	roleWriter     = "writer"
	roleTurn       = "turn"
	roleBodies     = "bodies"
	roleOutside    = "outside"
)

// profilesEnv names the variable with the directory for a process's CPU profile.
const profilesEnv = "BENCH_PROFILES"

// usage is the resource usage of a process: CPU time in microseconds, its current memory in
// bytes, the part of it that was in use at the last garbage collection, and its numbers of
// goroutines and open files.
type usage struct {
	CPU        float64 `json:"cpu_us"`
	RSS        int64   `json:"rss"`
	Live       uint64  `json:"live"`
	Goroutines int     `json:"goroutines"`
	Files      int     `json:"files"`
}

// order is a request of the parent to a process, one line of JSON: one of these, or
// otherwise a request for the process's usage.
type order struct {
	Load  load    `json:"load"`
	Gate  probing `json:"gate,omitzero"`
	Write writing `json:"write,omitzero"`
	// Collect frees unused memory before the usage is measured.
	Collect bool `json:"collect,omitempty"`
}

// child is a process in a role.
type child struct {
	role   string
	args   []string
	stderr io.Writer
	mu     sync.Mutex
	stdout io.Writer
}

// Node runs the role in args, in a process that [Run] started, until ctx or standard
// input ends, and returns the exit code. Its first line on standard output reports that
// it is ready; after that it answers orders.
func Node(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		fmt.Fprintln(stderr, "name a role; this command is for the benchmark's own use")
		return 2
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	c := &child{role: args[0], args: args[1:], stdout: stdout, stderr: stderr}
	finish, err := c.profile()
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	defer finish()
	if c.role == roleTurn {
		if err := takeTurns(c.arg(0), stdin, stdout); err != nil {
			fmt.Fprintln(stderr, err)
			return 1
		}
		return 0
	}
	go c.obey(ctx, orders(stdin, stop))
	if err := c.play(ctx); err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}

// orders reads standard input and calls gone at its end.
func orders(stdin io.Reader, gone func()) <-chan order {
	got := make(chan order, 1)
	go func() {
		defer close(got)
		defer gone()
		for lines := bufio.NewScanner(stdin); lines.Scan(); {
			var o order
			if json.Unmarshal(lines.Bytes(), &o) != nil {
				return
			}
			got <- o
		}
	}()
	return got
}

func (c *child) obey(ctx context.Context, got <-chan order) {
	for o := range got {
		switch {
		case o.Load.Callers > 0:
			c.say(o.Load.run(ctx, c.say))
		case o.Gate.Time > 0:
			c.say(answered(o.Gate.run(ctx, c.arg(0), c.arg(1))))
		case o.Write.Time > 0:
			c.say(answered(o.Write.run(ctx, c.arg(0))))
		default:
			if o.Collect {
				debug.FreeOSMemory()
			}
			u := ownUsage()
			u.Goroutines, u.Live = runtime.NumGoroutine(), liveBytes()
			c.say(u)
		}
	}
}

// answer returns the answer to an order that may fail.
type answer[T any] struct {
	Got T      `json:"got"`
	Err string `json:"error,omitempty"`
}

func answered[T any](got T, err error) answer[T] {
	a := answer[T]{Got: got}
	if err != nil {
		a.Err = err.Error()
	}
	return a
}

// Write lets a part print its own ready line.
func (c *child) Write(line []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stdout.Write(line)
}

// say writes one line of JSON.
func (c *child) say(answer any) {
	line, err := json.Marshal(answer)
	if err != nil {
		line = []byte("null")
	}
	_, _ = c.Write(append(line, '\n')) // when the parent is gone, standard input ends too
}

// liveBytes returns the bytes of the heap that were in use at the last garbage collection.
func liveBytes() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// profile writes a CPU profile until finish is called, if requested.
func (c *child) profile() (finish func(), err error) {
	dir := os.Getenv(profilesEnv)
	if dir == "" {
		return func() {}, nil
	}
	f, err := os.Create(filepath.Join(dir, fmt.Sprintf("%s-%d.pprof", c.role, os.Getpid())))
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, err
	}
	return func() {
		pprof.StopCPUProfile()
		f.Close()
	}, nil
}
