//go:build linux

package programs_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/ports/programs"
	"github.com/helve-dev/helve/tool"
)

func TestRun(t *testing.T) {
	everySpace(t, func(t *testing.T, space string) {
		port, dir := openIn(t, space, programs.Options{})
		put(t, filepath.Join(dir, "in", "a.txt"), "text")
		for script, want := range map[string]string{
			"cat in/a.txt": "text", "cd in && pwd | sed 's/.*\\///'": "in", "echo x > out && cat out": "x",
			"mkdir -p d/e && mv in/a.txt d/e/ && cat d/e/a.txt && mv d/e/a.txt in/": "text",
			"echo $HOME > $HOME/f && test -s $HOME/f && echo yes":                   "yes", "mktemp > /dev/null && echo yes": "yes",
			"cat /etc/ld.so.cache | wc -c | grep -c .": "1", "head -c 4 /dev/urandom | wc -c": "4", "echo x > /dev/null && echo yes": "yes",
			"printf '#!/bin/sh\\necho ran' > s && chmod +x s && ./s": "ran", "kill -TERM $$; sleep 5": "", "echo $0": "sh",
		} {
			if got := says(t, port, script); got != want {
				t.Errorf("%s: %q, want %q", script, got, want)
			}
		}
		ran := run(t, port, tool.Program{Name: "sh", Args: []string{"-c", "pwd; echo err >&2; exit 3"}, Dir: "in"})
		if ran.Code != 3 || !strings.HasSuffix(string(ran.Stdout), "/in\n") || string(ran.Stderr) != "err\n" || ran.Signal != "" ||
			ran.Duration <= 0 {
			t.Errorf("Run = %+v", ran)
		}
		odd := []string{"-n", "a \xff\x80\n'\"$HOME`;*\\", "", "ü"}
		if ran := run(t, port, tool.Program{
			Name: "printf", Args: append([]string{"[%s]"}, odd...),
		}); string(ran.Stdout) != "[-n][a \xff\x80\n'\"$HOME`;*\\][][ü]" {
			t.Errorf("arguments arrive as %q", ran.Stdout)
		}
		if ran := run(t, port, sh("kill -9 $$")); ran.Code != -1 || ran.Signal != "killed" {
			t.Errorf("killed by itself: %+v", ran)
		}
		if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "helve-run-*", "home", "f")); len(left) > 0 {
			t.Errorf("homes were left: %q", left)
		}
	})
}

func TestRefusals(t *testing.T) {
	port, dir := open(t, programs.Options{})
	put(t, filepath.Join(dir, "file"), "")
	for link, target := range map[string]string{"out": "/", "up": "..", "loop": "loop", "in": "real", "rooted": filepath.Join(dir, "real")} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	put(t, filepath.Join(dir, "real", "x"), "")
	put(t, filepath.Join(dir, "broken"), "#!/no/such/interpreter\n")
	for _, tt := range []struct {
		p    tool.Program
		kind tool.Kind
	}{
		{tool.Program{Name: "no-such-program"}, tool.NotConfigured},
		{tool.Program{Name: "/bin/sh"}, tool.ValidationError},
		{tool.Program{Name: "../sh"}, tool.ValidationError},
		{tool.Program{}, tool.ValidationError},
		{tool.Program{Name: "true", Dir: "/"}, tool.PathNotAllowed},
		{tool.Program{Name: "true", Dir: ".."}, tool.PathNotAllowed},
		{tool.Program{Name: "true", Dir: "real/../../x"}, tool.PathNotAllowed},
		{tool.Program{Name: "true", Dir: "out"}, tool.PathNotAllowed},
		{tool.Program{Name: "true", Dir: "up"}, tool.PathNotAllowed},
		{tool.Program{Name: "true", Dir: "out/etc"}, tool.PathNotAllowed},
		{tool.Program{Name: "true", Dir: "rooted"}, tool.PathNotAllowed},
		{tool.Program{Name: "true", Dir: "loop"}, tool.PathNotAllowed},
		{tool.Program{Name: "true", Dir: "none"}, tool.FileNotFound},
		{tool.Program{Name: "true", Dir: "file"}, tool.ValidationError},
		{tool.Program{Name: "true", Dir: strings.Repeat("x", 5000)}, tool.ValidationError},
		{tool.Program{Name: "true", Args: []string{"a\x00b"}}, tool.ValidationError},
		{tool.Program{Name: "true", Args: []string{strings.Repeat("x", 1<<20)}}, tool.ExecutionError},
	} {
		_, err := port.Run(t.Context(), tt.p)
		if e := tool.AsError(err); e == nil || e.Kind != tt.kind {
			t.Errorf("%s in %.20q: %v, want %s", tt.p.Name, tt.p.Dir, err, tt.kind)
		}
	}
	if ran := run(t, port, tool.Program{Name: "ls", Dir: "in"}); string(ran.Stdout) != "x\n" {
		t.Errorf("in a link within the workspace: %+v", ran)
	}
	cause := errors.New("because")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if _, err := port.Run(ctx, sh("true")); !errors.Is(err, cause) {
		t.Errorf("Run after the end = %v", err)
	}
}

func TestFind(t *testing.T) {
	bin := t.TempDir()
	put(t, filepath.Join(bin, "mine"), "#!/bin/sh\necho mine\n")
	if err := os.Chmod(filepath.Join(bin, "mine"), 0o755); err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	for readable, kind := range map[string]tool.Kind{"": tool.NotConfigured, bin: ""} {
		o := programs.Options{Dir: func(string, string) (string, error) { return data, nil }, Path: "relative:" + bin + ":/usr/bin:/bin"}
		if readable != "" {
			o.Readable = []string{readable}
		}
		port, err := programs.New(o).For("t", "u")
		if err != nil {
			t.Fatal(err)
		}
		ran, err := port.Run(t.Context(), tool.Program{Name: "mine"})
		if e := tool.AsError(err); e != nil && e.Kind != kind || e == nil && (kind != "" || string(ran.Stdout) != "mine\n") {
			t.Errorf("mine with %q readable: %+v, %v", readable, ran, err)
		}
		if path, err := port.Find("sh"); err != nil || !filepath.IsAbs(path) {
			t.Errorf("Find(sh) = %q, %v", path, err)
		}
	}
	inSystem := programs.New(programs.Options{
		Dir: func(string, string) (string, error) { return data, nil }, Readable: []string{filepath.Dir(data)},
	})
	port, err := inSystem.For("t", "u")
	if err != nil {
		t.Fatal(err)
	}
	_, err = port.Run(t.Context(), sh("true"))
	wantKind(t, err, tool.NotConfigured, "--data DIR")
}

func TestOutput(t *testing.T) {
	port, _ := open(t, programs.Options{})
	p := sh("i=0; while [ $i -lt 1000 ]; do echo 0123456; echo abcdefg >&2; i=$((i+1)); done")
	p.MaxOutput = 100
	var seen int
	p.Output = func(piece []byte) { seen += len(piece) }
	ran := run(t, port, p)
	if len(ran.Stdout) != 100 || len(ran.Stderr) != 100 || ran.StdoutCut != 7900 || ran.StderrCut != 7900 || seen != 16000 || ran.Flooded {
		t.Errorf("kept %d and %d, cut %d and %d, seen %d", len(ran.Stdout), len(ran.Stderr), ran.StdoutCut, ran.StderrCut, seen)
	}
	if string(ran.Stdout[:8]) != "0123456\n" || string(ran.Stderr[:8]) != "abcdefg\n" {
		t.Errorf("kept %.20q and %.20q, want the beginning", ran.Stdout, ran.Stderr)
	}
}

func TestInput(t *testing.T) {
	port, _ := open(t, programs.Options{})
	text := strings.Repeat("line\n", 100_000)
	p := tool.Program{Name: "wc", Args: []string{"-c"}, Stdin: strings.NewReader(text)}
	if ran := run(t, port, p); strings.TrimSpace(string(ran.Stdout)) != fmt.Sprint(len(text)) {
		t.Errorf("wc says %s", ran.Stdout)
	}
	if ran := run(t, port, tool.Program{Name: "cat"}); ran.Code != 0 || len(ran.Stdout) != 0 {
		t.Errorf("without input: %+v", ran)
	}
	// An endless input is no longer read when the program has ended, and a silent one
	// is not waited for.
	endless, stop := io.Pipe()
	defer stop.Close()
	for _, in := range []io.Reader{zeros{}, endless} {
		ran := run(t, port, tool.Program{Name: "true", Stdin: in})
		if ran.Code != 0 || ran.Duration > 5*time.Second {
			t.Errorf("with endless input: %+v", ran)
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func TestTerminal(t *testing.T) {
	everySpace(t, func(t *testing.T, space string) {
		port, _ := openIn(t, space, programs.Options{})
		p := sh(`test -t 0 && test -t 1 && test -t 2 && stty size; printf '\033[31mred\033[0m'; (sleep 1000 &); echo x > /dev/tty; exit 4`)
		p.Terminal = true
		ran := run(t, port, p)
		if want := "40 120\r\n\x1b[31mred\x1b[0mx\r\n"; string(ran.Stdout) != want || ran.Code != 4 || len(ran.Stderr) != 0 {
			t.Errorf("Run = %q %q %d, want %q", ran.Stdout, ran.Stderr, ran.Code, want)
		}
		p = sh("stty -echo; echo ready; read line; echo got $line; cat; echo end")
		p.Terminal = true
		in, feed := io.Pipe()
		p.Stdin = in
		var once bool
		p.Output = func([]byte) {
			if !once {
				once = true
				go func() { _, _ = io.WriteString(feed, "hello\nmore\n"); feed.Close() }()
			}
		}
		if ran := run(t, port, p); string(ran.Stdout) != "ready\r\ngot hello\r\nmore\r\nend\r\n" {
			t.Errorf("a conversation: %q", ran.Stdout)
		}
	})
}

// TestLastOutput runs programs whose last output comes right before their end.
func TestLastOutput(t *testing.T) {
	for _, unconfined := range []bool{false, true} {
		port, _ := open(t, programs.Options{Unconfined: unconfined})
		for _, terminal := range []bool{false, true} {
			for range 25 {
				p := sh("echo first; echo second >&2; echo -n last; exit 3")
				p.Terminal = terminal
				ran := run(t, port, p)
				want := "first\nlast"
				if terminal {
					want = "first\r\nsecond\r\nlast"
				}
				if string(ran.Stdout) != want || ran.Code != 3 {
					t.Fatalf("unconfined %v, on a terminal %v: output %q and exit code %d, want %q and 3",
						unconfined, terminal, ran.Stdout, ran.Code, want)
				}
			}
		}
	}
}

func TestReadOnly(t *testing.T) {
	everySpace(t, func(t *testing.T, space string) {
		port, dir := openIn(t, space, programs.Options{})
		put(t, filepath.Join(dir, "a"), "text")
		p := sh("cat a; echo x > a; echo x > b; rm -f a; mkdir c; ln -s a d; chmod 777 a; echo x > $HOME/fine && echo fine")
		p.ReadOnly = true
		ran := run(t, port, p)
		text, err := os.ReadFile(filepath.Join(dir, "a"))
		entries, _ := os.ReadDir(dir)
		if string(ran.Stdout) != "textfine\n" || string(text) != "text" || err != nil || len(entries) != 1 {
			t.Errorf("said %q %s, file %q, %d entries", ran.Stdout, ran.Stderr, text, len(entries))
		}
	})
}

func TestNetworkOnDemand(t *testing.T) {
	everySpace(t, func(t *testing.T, space string) {
		port, dir := openIn(t, space, programs.Options{})
		o := around(t, dir)
		for _, network := range []bool{true, false} {
			ran := run(t, port, tool.Program{Name: hostile(t), Args: []string{"attempt", "tcp", o.port}, Network: network})
			if (ran.Code == 0) != network {
				t.Errorf("network %v: %s", network, ran.Stdout)
			}
			for _, name := range []string{"unix", "datagram"} {
				for _, address := range []string{o.socket, o.abstract, o.datagrams} {
					ran := run(t, port, tool.Program{Name: hostile(t), Args: []string{"attempt", name, address}, Network: network})
					if ran.Code == 0 {
						t.Errorf("network %v: %s %s: %s", network, name, address, ran.Stdout)
					}
				}
			}
		}
	})
}
