package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// process is a process that the comparison has started.
type process struct {
	cmd   *exec.Cmd
	ready map[string]string // the words key=value of its ready line
	done  chan struct{}
}

// startWithin bounds the time until the ready line of a process.
const startWithin = time.Minute

// start starts a process that prints a line which begins with "ready", and waits for that. Its errors
// go to a file in dir.
func start(ctx context.Context, dir, name string, argv ...string) (*process, error) {
	log, err := os.OpenFile(filepath.Join(dir, name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	p := &process{cmd: exec.CommandContext(ctx, argv[0], argv[1:]...), ready: map[string]string{}, done: make(chan struct{})}
	p.cmd.Stderr = log
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	ready := make(chan string, 1)
	go func() {
		defer close(p.done)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if strings.HasPrefix(lines.Text(), "ready") {
				select {
				case ready <- lines.Text():
				default:
				}
			}
		}
		_ = p.cmd.Wait() // its log shows how it ended
	}()
	late := time.NewTimer(startWithin)
	defer late.Stop()
	select {
	case line := <-ready:
		for word := range strings.FieldsSeq(line) {
			key, value, _ := strings.Cut(word, "=")
			p.ready[key] = value
		}
		return p, nil
	case <-p.done:
		return nil, fmt.Errorf("%s ended; its log is %s", name, log.Name())
	case <-late.C:
		p.kill()
		return nil, fmt.Errorf("%s was not ready in %v", name, startWithin)
	}
}

// kill ends a process as kill -9 does.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.done
}

// stop asks a process to end.
func (p *process) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	late := time.AfterFunc(20*time.Second, func() { _ = p.cmd.Process.Kill() })
	defer late.Stop()
	<-p.done
}

// used returns the bytes on disk of the files in a directory.
func used(dir string) (bytes int64) {
	_ = filepath.Walk(dir, func(_ string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() && !strings.HasSuffix(info.Name(), ".log") {
			if stat, ok := info.Sys().(*syscall.Stat_t); ok {
				bytes += stat.Blocks * 512
			}
		}
		return nil
	})
	return bytes
}
