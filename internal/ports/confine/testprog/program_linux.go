package main

import (
	"fmt"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/helve-dev/helve/internal/ports/confine"
)

// program starts this program again as a launcher would start a program, with an
// attempt to make, without namespaces, so that only the profile can prevent it.
func program(name string) {
	done := make(chan error)
	go start(name, done)
	if err := <-done; err != nil {
		say(err.Error())
	}
}

// start does not use the first thread, which the kernel identifies with the process.
func start(name string, done chan<- error) {
	runtime.LockOSThread()
	if unix.Gettid() == unix.Getpid() {
		go start(name, done)
		select {}
	}
	done <- run(name)
}

func run(name string) error {
	own, err := confine.OwnMemory()
	if err != nil {
		return err
	}
	p := &confine.Program{Memory: own, FileSize: 1 << 20, OpenFiles: 64}
	if err := p.Available(); err != nil {
		return err
	}
	if err := confine.CloseOnExec(4); err != nil {
		return err
	}
	err = p.Restrict(func(files *confine.Files) {
		for _, path := range []string{os.Args[0], "/lib", "/lib64", "/usr/lib"} {
			files.Allow(path, confine.Read)
		}
	})
	if err == nil {
		err = p.Limit(own)
	}
	if err != nil {
		return err
	}
	pid, err := syscall.ForkExec(os.Args[0], []string{os.Args[0], "free", name}, &syscall.ProcAttr{Files: []uintptr{0, 1, 2, 3}})
	if err != nil {
		return err
	}
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil {
		return err
	}
	if status.Signaled() {
		say(unix.SignalName(status.Signal()))
		return nil
	}
	if status.ExitStatus() != 0 {
		return fmt.Errorf("exit status %d", status.ExitStatus())
	}
	return nil
}
