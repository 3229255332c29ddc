// Command testprog is a process that confines itself with either profile, for the
// tests: its first argument selects what it does afterwards. It writes its answer to
// descriptor 3.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/helve-dev/helve/internal/ports/confine"
)

// space is the address space beyond what the process has at its start.
const space = 128 << 20

// confined is the last argument of the process that confine.Reexec has run.
const confined = "confined"

func main() {
	var arg [3]string
	copy(arg[:], os.Args[1:])
	if !slices.Contains([]string{"list", "parent", "free", "program"}, arg[0]) && os.Args[len(os.Args)-1] != confined {
		if err := confine.Reexec(append(slices.Clip(os.Args), confined)); err != nil {
			say("not confined: " + err.Error())
			panic(err)
		}
	}
	switch mode := arg[0]; mode {
	case "list":
		for _, a := range attempts {
			fmt.Fprintln(os.Stdout, a.name, a.script, a.program, a.free)
		}
	case "parent":
		parent()
	case "free":
		say(outcome(find(arg[1])))
	case "program":
		program(arg[1])
	case "keep":
		fd, _ := strconv.Atoi(arg[1])
		say(fmt.Sprint(confine.Apply(confine.Script{AddressSpace: space, CPUSeconds: 1, Keep: []int{3, fd}})))
	case "attempt":
		attempt(arg[1], arg[2])
	default:
		if mode == "less" {
			_ = unix.Setrlimit(unix.RLIMIT_CPU, &unix.Rlimit{Cur: 5, Max: 5})
		}
		lock(cpuSeconds(mode))
		modes[mode]()
	}
}

func cpuSeconds(mode string) uint64 {
	if mode == "cpu" {
		return 1
	}
	return 10
}

var modes = map[string]func(){
	"report": report,
	"less":   report,
	"work":   work,
	"memory": memory,
	"cpu": func() {
		for {
			runtime.Gosched()
		}
	},
	"wait": func() {
		say("locked")
		_, _ = io.Copy(io.Discard, os.NewFile(3, "socket"))
	},
}

// lock exits if the process cannot be confined.
func lock(cpuSeconds uint64) {
	if err := confine.Apply(confine.Script{AddressSpace: space, CPUSeconds: cpuSeconds, Keep: []int{3}}); err != nil {
		say("not locked: " + err.Error())
		panic(err)
	}
}

func say(line string) {
	_, _ = unix.Write(3, []byte(line+"\n"))
}

// attempt makes the named attempt from a thread that existed before the process was
// confined, or from a later one.
func attempt(name, when string) {
	a := find(name)
	locked, done := make(chan bool), make(chan string)
	thread := func() {
		runtime.LockOSThread()
		<-locked
		done <- outcome(a)
	}
	if when == "before" {
		go thread()
		runtime.Gosched()
	}
	lock(10)
	if when == "after" {
		go thread()
	}
	locked <- true
	say(<-done)
}

// outcome returns the name of the error of an attempt, or "success".
func outcome(a attempted) string {
	if errno := a.do(); errno != 0 {
		return unix.ErrnoName(errno)
	}
	return "success"
}

func find(name string) attempted {
	for _, a := range attempts {
		if a.name == name {
			return a
		}
	}
	panic("there is no attempt " + name)
}

// parent starts a process that waits, and ends with its own standard input.
func parent() {
	_, err := syscall.ForkExec("/proc/self/exe", []string{"testprog", "wait"}, &syscall.ProcAttr{Files: []uintptr{0, 1, 2, 3}})
	if err != nil {
		say(err.Error())
	}
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
}

// report writes the open descriptors and the limits.
func report() {
	var open []string
	for fd := range uintptr(100) {
		if _, err := unix.FcntlInt(fd, unix.F_GETFD, 0); err == nil {
			open = append(open, fmt.Sprint(fd))
		}
	}
	var limits []string
	for _, r := range []int{unix.RLIMIT_CPU, unix.RLIMIT_CORE, unix.RLIMIT_FSIZE, unix.RLIMIT_NOFILE, unix.RLIMIT_AS} {
		var l unix.Rlimit
		if err := unix.Prlimit(0, r, nil, &l); err != nil || l.Cur != l.Max {
			limits = append(limits, fmt.Sprint(l, err))
		}
		limits = append(limits, fmt.Sprint(l.Max))
	}
	say("fds " + strings.Join(open, " "))
	say("limits " + strings.Join(limits, " "))
	_, _ = unix.Read(3, make([]byte, 1)) // the test inspects this process meanwhile
}
