//go:build linux

package programs_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/ports/programs"
	"github.com/helve-dev/helve/internal/test/testtime"
	"github.com/helve-dev/helve/tool"
)

// escapes leaves its group, its session and its parent, and says so. What it starts
// can be told by how long it means to sleep.
func escapes(seconds, then string) string {
	one := func(name string) string {
		return fmt.Sprintf("setsid sh -c 'touch %s; exec sleep %s' &", name, seconds)
	}
	return fmt.Sprintf(`setsid sh -c "setsid sh -c \"%s\" & exit 0"; trap '' TERM HUP INT; (%s); (touch c; exec sleep %s) &
		until [ -e a ] && [ -e b ] && [ -e c ]; do sleep 0.01; done; echo ready; %s`, one("a"), one("b"), seconds, then)
}

// living returns the processes of this host that were started with that argument.
func living(t testing.TB, argument string) (pids []string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, _ := os.ReadFile(f)
		if strings.HasPrefix(string(text), "sleep\x00"+argument) {
			pids = append(pids, f)
		}
	}
	return pids
}

// escaped waits for the processes that [escapes] leaves behind, and counts them.
func escaped(t testing.TB, seconds string) int {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for late := time.Now().Add(testtime.Patience()); ; <-tick.C {
		if n := len(living(t, seconds)); n >= 3 || time.Now().After(late) {
			return n
		}
	}
}

// seconds is an argument that nothing else on this host has.
func seconds(t testing.TB, n int) string {
	t.Helper()
	return fmt.Sprintf("%d.%d", 90000+n, os.Getpid())
}

func TestAllOfItDies(t *testing.T) {
	everySpace(t, func(t *testing.T, space string) {
		for i, tt := range []struct {
			name, then string
			grace      time.Duration
			fails      tool.Kind
			flooded    bool
		}{
			{name: "it ends", then: "read counted; exit 0"},
			{name: "the call ends", then: "sleep 1000", fails: tool.Cancelled},
			{name: "the call ends, with grace", then: "sleep 1000", grace: 200 * time.Millisecond, fails: tool.Cancelled},
			{name: "it floods", then: "while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; done", flooded: true},
		} {
			t.Run(tt.name, func(t *testing.T) {
				port, _ := openIn(t, space, programs.Options{})
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				mark := seconds(t, i)
				p := sh(escapes(mark, tt.then))
				p.Grace, p.MaxTotal = tt.grace, 100_000
				stdin, counted := io.Pipe()
				p.Stdin = stdin
				defer counted.Close()
				before := 0
				p.Output = func(piece []byte) {
					if before == 0 {
						before = escaped(t, mark)
						go func() { _, _ = io.WriteString(counted, "counted\n") }()
						if tt.fails != "" {
							cancel()
						}
					}
				}
				ran, err := port.Run(ctx, p)
				if tt.fails != "" {
					wantKind(t, err, tt.fails, "")
				} else if err != nil || ran.Flooded != tt.flooded || (ran.Code == 0) == tt.flooded {
					t.Errorf("Run = %+v, %v", ran, err)
				}
				if !strings.HasPrefix(string(ran.Stdout), "ready\n") {
					t.Errorf("output %.40q, want what was written before the end", ran.Stdout)
				}
				if before < 3 {
					t.Errorf("%d processes had escaped; the test proves nothing", before)
				}
				if left := living(t, mark); len(left) > 0 {
					t.Errorf("these live on: %q", left)
				}
			})
		}
	})
}

// Output that never comes to an end because somebody else holds the pipe is not
// waited for.
func TestTheEndOfTheProgramIsTheEnd(t *testing.T) {
	port, _ := open(t, programs.Options{})
	began := time.Now()
	ran := run(t, port, sh("sleep 1000 & echo done; exit 7"))
	if ran.Code != 7 || string(ran.Stdout) != "done\n" || time.Since(began) > time.Minute || ran.Duration > time.Minute {
		t.Errorf("Run = %+v after %s", ran, time.Since(began))
	}
}

func TestGrace(t *testing.T) {
	everySpace(t, func(t *testing.T, space string) {
		port, _ := openIn(t, space, programs.Options{})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		p := sh("trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.01; done")
		p.Grace = time.Minute
		p.Output = func([]byte) { cancel() }
		ran, err := port.Run(ctx, p)
		wantKind(t, err, tool.Cancelled, "")
		if string(ran.Stdout) != "ready\nbye\n" {
			t.Errorf("output %q, want ready and bye", ran.Stdout)
		}
	})
}

// work is a worker in a process of its own: it runs a program that escapes.
func work(space string, args []string) int {
	o := programs.Options{Dir: func(string, string) (string, error) { return args[0], nil }, Path: "/usr/bin:/bin"}
	port, err := programs.New(o).In(strings.ReplaceAll(space, "_", " ")).For("t", "u")
	if err != nil {
		return 1
	}
	p := sh(escapes(args[1], "sleep 1000"))
	p.Output = func(piece []byte) { _, _ = os.Stdout.Write(piece) }
	_, err = port.Run(context.Background(), p)
	fmt.Fprintln(os.Stdout, err)
	return 0
}

func TestNothingOutlivesTheWorker(t *testing.T) {
	everySpace(t, func(t *testing.T, space string) {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		mark := seconds(t, 50)
		worker := exec.Command(self, "worker", space, t.TempDir(), mark)
		worker.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
		out, err := worker.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := worker.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil || line != "ready\n" {
			t.Fatalf("the worker says %q, %v", line, err)
		}
		before := escaped(t, mark)
		if err := worker.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = worker.Wait()
		if before < 3 {
			t.Errorf("%d processes had escaped; the test proves nothing", before)
		}
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for deadline := time.Now().Add(testtime.Patience()); len(living(t, mark)) > 0; <-tick.C {
			if time.Now().After(deadline) {
				t.Fatalf("these live on: %q", living(t, mark))
			}
		}
	})
}
