// Command testprog is a process that locks itself down, for the tests: its first
// argument says what it does after that. It answers on descriptor 3.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/helve-dev/helve/internal/sandbox/lockdown"
)

// space is the address space beyond what the process has at its start.
const space = 128 << 20

func main() {
	var arg [3]string
	copy(arg[:], os.Args[1:])
	switch mode := arg[0]; mode {
	case "list":
		for _, a := range attempts {
			fmt.Fprintln(os.Stdout, a.name, a.want, a.free)
		}
	case "parent":
		parent()
	case "free":
		say(outcome(find(arg[1])))
	case "keep":
		fd, _ := strconv.Atoi(arg[1])
		say(fmt.Sprint(lockdown.Apply(lockdown.Options{AddressSpace: space, CPUSeconds: 1, Keep: []int{3, fd}})))
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

// lock ends the process if it cannot be locked down.
func lock(cpuSeconds uint64) {
	if err := lockdown.Apply(lockdown.Options{AddressSpace: space, CPUSeconds: cpuSeconds, Keep: []int{3}}); err != nil {
		say("not locked: " + err.Error())
		panic(err)
	}
}

func say(line string) {
	_, _ = unix.Write(3, []byte(line+"\n"))
}

// attempt tries what name stands for from a thread that was there before the
// process was locked, or from one that comes after.
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

// outcome is the name of the error of an attempt, or "success".
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
	_, err := syscall.ForkExec("/proc/self/exe", []string{"testprog", "wait"}, &syscall.ProcAttr{Files: []uintptr{0, 1, 2, 3}}) //nolint:gosec // it is this program
	if err != nil {
		say(err.Error())
	}
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
}

// report says what is open, and what the limits are.
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
	_, _ = unix.Read(3, make([]byte, 1)) // the test looks at this process meanwhile
}
