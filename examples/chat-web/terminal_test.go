package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/test/childtest"
	"github.com/helve-dev/helve/internal/test/modeltest"
)

// chatTerminal is the other front end, a program of its own.
var chatTerminal = childtest.Program("examples/chat-terminal")

// typist is somebody at a terminal.
type typist struct {
	t    *testing.T
	cmd  *exec.Cmd
	keys io.WriteCloser

	mu     sync.Mutex
	screen strings.Builder
}

func (ty *typist) Write(p []byte) (int, error) {
	ty.mu.Lock()
	defer ty.mu.Unlock()
	return ty.screen.Write(p)
}

func startTerminal(t *testing.T, m *modeltest.Server, user, state string) *typist {
	t.Helper()
	return startTerminalAs(t, []string{"--server", helve.url, "--user", user, "--state", state, "--model", "m", "--base-url", m.Base()})
}

func startTerminalAs(t *testing.T, args []string) *typist {
	t.Helper()
	path, err := chatTerminal()
	if err != nil {
		t.Fatal(err)
	}
	ty := &typist{t: t}
	ty.cmd = exec.CommandContext(context.WithoutCancel(t.Context()), path, args...)
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "HELVE_") && !strings.HasPrefix(variable, "OPENAI_") {
			ty.cmd.Env = append(ty.cmd.Env, variable)
		}
	}
	ty.cmd.Stdout, ty.cmd.Stderr = ty, ty
	if ty.keys, err = ty.cmd.StdinPipe(); err == nil {
		err = ty.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if ty.cmd.ProcessState == nil { // the test failed before it left
			_ = ty.cmd.Process.Kill()
			_ = ty.cmd.Wait()
		}
	})
	return ty
}

func (ty *typist) types(line string) {
	ty.t.Helper()
	if _, err := io.WriteString(ty.keys, line+"\n"); err != nil {
		ty.t.Fatal(err)
	}
}

// sees waits until the screen holds a text.
func (ty *typist) sees(want string) {
	ty.t.Helper()
	eventually(ty.t, "the terminal shows "+want+"; it shows "+ty.shows(), func() bool { return strings.Contains(ty.shows(), want) })
}

func (ty *typist) shows() string {
	ty.mu.Lock()
	defer ty.mu.Unlock()
	return ty.screen.String()
}

// interrupt is Ctrl-C.
func (ty *typist) interrupt() {
	ty.t.Helper()
	if err := ty.cmd.Process.Signal(syscall.SIGINT); err != nil {
		ty.t.Fatal(err)
	}
}

// leave is the end of what is typed.
func (ty *typist) leave() {
	ty.t.Helper()
	_ = ty.keys.Close()
	ty.ends()
}

// ends waits for the program, which must end well.
func (ty *typist) ends() {
	ty.t.Helper()
	giveUp := time.AfterFunc(patience, func() { _ = ty.cmd.Process.Kill() })
	defer giveUp.Stop()
	if err := ty.cmd.Wait(); err != nil {
		ty.t.Errorf("chat-terminal ended with %v\n%s", err, ty.shows())
	}
}
