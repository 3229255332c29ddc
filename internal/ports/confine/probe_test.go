//go:build linux

package confine

import (
	"math/bits"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestProbe finds on this host what the other tests of Apply use.
func TestProbe(t *testing.T) {
	t.Parallel()
	var names []string
	for _, p := range Probe() {
		names = append(names, p.Name)
		if p.Detail == "" {
			t.Errorf("part %s has no detail, want a version or what to do", p.Name)
		}
		if p.Mandatory && !p.OK {
			t.Errorf("part %+v is missing", p)
		}
	}
	want := []string{
		"kernel", "threads", "proc", "landlock", "seccomp", "no_new_privs", "rlimits",
		"user_namespace", "network_namespace", "ipc_namespace", "uts_namespace", "pid_namespace", "cgroup_v2",
	}
	if !slices.Equal(names, want) {
		t.Errorf("Probe() = %q, want %q", names, want)
	}
}

// TestCgo has Apply fail before it changes anything, as it must in this very
// process.
func TestCgo(t *testing.T) {
	if !raced {
		t.Skip("only the race detector brings cgo")
	}
	_, theirs := sockets(t)
	before := limitOfFiles(t)
	err := Apply(Script{AddressSpace: 1 << 30, CPUSeconds: 1000, Keep: []int{int(theirs.Fd())}})
	if err == nil || !strings.Contains(err.Error(), "was not confined") || !strings.Contains(err.Error(), "CGO_ENABLED=0") {
		t.Errorf("Apply with cgo = %v, want an error that says what to build", err)
	}
	if after := limitOfFiles(t); after != before {
		t.Errorf("RLIMIT_NOFILE is %v after a refused Apply, was %v", after, before)
	}
}

func limitOfFiles(t *testing.T) (l unix.Rlimit) {
	t.Helper()
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &l); err != nil {
		t.Fatal(err)
	}
	return l
}

func TestMissing(t *testing.T) {
	t.Parallel()
	fine, lost := Part{Name: "a", Mandatory: true, OK: true}, Part{Name: "b", Mandatory: true, Detail: "get b"}
	for _, tt := range []struct {
		parts []Part
		want  string
	}{
		{nil, ""},
		{[]Part{fine, {Name: "c", Detail: "get c"}}, ""},
		{[]Part{lost, fine, lost}, "b: get b; b: get b"},
	} {
		got := ""
		if err := missing(tt.parts); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("missing(%v) = %q, want %q", tt.parts, got, tt.want)
		}
	}
}

func TestHandled(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		version          int
		signals          bool
		files, net, more int
	}{
		{4, true, 15, 2, 0},
		{5, true, 16, 2, 0},
		{6, true, 16, 2, 2},
		{6, false, 16, 2, 1},
		{8, true, 16, 2, 2},
		{9, true, 17, 2, 2},
		{10, true, 17, 4, 2},
		{1000, true, 17, 4, 2},
	} {
		a := handled(tt.version, kept{signals: !tt.signals})
		if bits.OnesCount64(a.FS) != tt.files || bits.OnesCount64(a.Net) != tt.net || bits.OnesCount64(a.Scoped) != tt.more {
			t.Errorf("handled(%d, %v) = %+v, want %d, %d and %d rights", tt.version, tt.signals, a, tt.files, tt.net, tt.more)
		}
	}
}

// TestCheck finds threads that are not locked down.
func TestCheck(t *testing.T) {
	t.Parallel()
	mine, err := openThreads()
	if err != nil {
		t.Fatal(err)
	}
	defer mine.close()
	for name, tt := range map[string]threads{"free": mine, "no": nil} {
		if err := tt.check(); err == nil {
			t.Errorf("check of %s threads = nil, want an error", name)
		}
	}
}

// TestBestEffort locks a process down in the namespaces that can be had.
func TestBestEffort(t *testing.T) {
	t.Parallel()
	flags, parts := BestEffort()
	had := 0
	for _, p := range parts[1:] {
		if p.OK {
			had++
		}
		if p.Mandatory {
			t.Errorf("%s is mandatory, want namespaces optional", p.Name)
		}
	}
	if got := bits.OnesCount64(uint64(flags &^ syscall.CLONE_NEWUSER)); got != had || len(parts) != 5 {
		t.Errorf("BestEffort() = %#x, %v, want a flag for each that is there", flags, parts)
	}
	// In a user namespace a child is root with all capabilities, and there is no
	// nobody to become.
	for _, f := range []uintptr{flags, flags | syscall.CLONE_NEWUSER} {
		if start(f) != nil {
			continue
		}
		c := startIn(t, f, "wait")
		if got := c.line(); got != "locked" {
			t.Errorf("a child with flags %#x says %q, %s, want locked", f, got, &c.stderr)
		}
		c.socket.Close()
		c.end()
	}
	if err := start(syscall.CLONE_NEWUSER | syscall.CLONE_FS); err == nil {
		t.Error("start with flags that no process can have = nil, want an error")
	}
}
