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
)

// profilesEnv names the directory where a process leaves its CPU profile.
const profilesEnv = "BENCH_PROFILES"

// usage is what a process has used: CPU time in microseconds, and the memory in
// bytes and the goroutines it holds now.
type usage struct {
	CPU        float64 `json:"cpu_us"`
	RSS        int64   `json:"rss"`
	Goroutines int     `json:"goroutines"`
}

// order is what the parent asks of a process, one line of JSON: one of these,
// or else the process's usage.
type order struct {
	Load  load    `json:"load"`
	Gate  probing `json:"gate,omitzero"`
	Write writing `json:"write,omitzero"`
	// Collect gives back, before the usage, the memory that is not in use.
	Collect bool `json:"collect,omitempty"`
}

// child is the process that plays a role.
type child struct {
	role   string
	args   []string
	stderr io.Writer
	mu     sync.Mutex
	stdout io.Writer
}

// Node plays the role that args begin with, in a process that [Run] started,
// until ctx or standard input ends, and returns the exit code. Its first line
// on standard output says that it is ready; after that it answers orders.
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
			u.Goroutines = runtime.NumGoroutine()
			c.say(u)
		}
	}
}

// answer is that to an order which may fail.
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

// say answers with one line of JSON.
func (c *child) say(answer any) {
	line, err := json.Marshal(answer)
	if err != nil {
		line = []byte("null")
	}
	_, _ = c.Write(append(line, '\n')) // a parent that is gone ends standard input too
}

// profile writes a CPU profile until finish is called, if asked to.
func (c *child) profile() (finish func(), err error) {
	dir := os.Getenv(profilesEnv)
	if dir == "" {
		return func() {}, nil
	}
	//nolint:gosec // the person who runs the benchmark names the directory
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
