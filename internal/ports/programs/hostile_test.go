//go:build linux

package programs_test

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/helve-dev/helve/internal/ports/programs"
	"github.com/helve-dev/helve/tool"
)

// outside is the world around a workspace that a program must not reach.
type outside struct {
	secret, other, socket, datagrams, abstract, port, pid string
}

func around(t *testing.T, workspace string) outside {
	t.Helper()
	data := filepath.Dir(filepath.Dir(workspace))
	o := outside{
		secret: filepath.Join(data, "secret"), other: filepath.Join(data, "t", "other", "file"),
		socket: filepath.Join(data, "s"), datagrams: filepath.Join(data, "d"), abstract: "@helve-test-" + filepath.Base(filepath.Dir(data)),
		pid: strconv.Itoa(os.Getpid()),
	}
	put(t, o.secret, "secret")
	put(t, o.other, "other")
	for _, l := range []struct{ network, address string }{{"unix", o.socket}, {"unix", o.abstract}, {"tcp", "127.0.0.1:0"}} {
		listener, err := net.Listen(l.network, l.address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { listener.Close() })
		_, o.port, _ = net.SplitHostPort(listener.Addr().String())
	}
	packets, err := net.ListenPacket("unixgram", o.datagrams)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { packets.Close() })
	return o
}

// trial is an attempt. free is set if it succeeds without confinement, so that a
// refusal proves something; some attempts need more than a test can rely on.
type trial struct {
	name string
	args []string
	free bool
}

func trials(o outside, workspace string) []trial {
	return []trial{
		{"read", []string{o.secret}, true},
		{"read", []string{o.other}, true},
		{"read", []string{"link-to-secret"}, true},
		{"read", []string{"/etc/fstab"}, false},
		{"read", []string{"/proc/" + o.pid + "/environ"}, true},
		{"read", []string{"/proc/" + o.pid + "/cmdline"}, true},
		{"read", []string{"/proc/1/environ"}, false},
		{"list", []string{"/"}, true},
		{"list", []string{"/root"}, false},
		{"list", []string{"/sys"}, true},
		{"list", []string{"/var/log"}, true},
		{"list", []string{filepath.Dir(workspace)}, true},
		{"write", []string{filepath.Dir(workspace) + "/new"}, true},
		{"write", []string{o.secret}, true},
		{"write", []string{"/tmp/helve-test-outside"}, false},
		{"write", []string{"/etc/helve-test"}, false},
		{"write", []string{"/usr/helve-test"}, false},
		{"write", []string{"/dev/kmsg"}, false},
		{"write", []string{"/proc/sys/kernel/core_pattern"}, false},
		{"link", []string{o.secret, "hard"}, true},
		{"unix", []string{o.socket}, true},
		{"unix", []string{o.abstract}, true},
		{"datagram", []string{o.datagrams}, true},
		{"tcp", []string{o.port}, true},
		{"udp", nil, true}, {"udp6", nil, false}, {"vsock", nil, false}, {"alg", nil, false}, {"packet", nil, false}, {"raw", nil, false},
		{"netlink", nil, true},
		{"signal", []string{o.pid}, true},
		{"launcher", nil, true},
		{"limit", []string{o.pid}, true},
		{"nice", []string{strconv.Itoa(os.Getppid())}, false},
		{"trace", []string{o.pid}, false},
		{"user namespace", nil, false}, {"clone namespace", nil, false},
		{"mount", []string{"."}, false}, {"chroot", []string{"."}, false},
		{"ring", nil, false}, {"bpf", nil, true}, {"keyring", nil, false}, {"perf", nil, true},
		{"mode", []string{"chmod"}, true}, {"mode", []string{"fchmod"}, true}, {"mode", []string{"fchmodat"}, true},
		{"mode", []string{"fchmodat2"}, true},
		{"mode", []string{"setgid"}, true}, {"mode", []string{"openat"}, true}, {"mode", []string{"openat2"}, true},
		{"mode", []string{"tmpfile"}, true}, {"mode", []string{"mknodat"}, true},
		{"read", []string{"/etc/shadow"}, false}, {"list", []string{"/etc/ssl/private"}, false}, {"list", []string{"/etc"}, true},
		{"read", []string{"/etc/hostname"}, false},
		{"device", []string{"node"}, false}, {"root", nil, false}, {"type", nil, true},
	}
}

func TestNothingLeadsOut(t *testing.T) {
	everySpace(t, func(t *testing.T, space string) {
		port, dir := openIn(t, space, programs.Options{})
		o := around(t, dir)
		if err := os.Symlink(o.secret, filepath.Join(dir, "link-to-secret")); err != nil {
			t.Fatal(err)
		}
		for _, a := range trials(o, dir) {
			ran := run(t, port, tool.Program{Name: hostile(t), Args: append([]string{"attempt", a.name}, a.args...)})
			// A file of that name may be the run's own, as in /tmp.
			own := a.name == "write" && strings.HasPrefix(a.args[0], "/tmp/") && !exists(a.args[0])
			if !own && !strings.HasPrefix(string(ran.Stdout), "refused: ") {
				t.Errorf("%s %q: %s%s", a.name, a.args, ran.Stdout, ran.Stderr)
			}
		}
	})
}

// The attempts prove something only if they succeed where nothing confines.
func TestAttemptsWork(t *testing.T) {
	port, dir := open(t, programs.Options{Unconfined: true})
	o := around(t, dir)
	if err := os.Symlink(o.secret, filepath.Join(dir, "link-to-secret")); err != nil {
		t.Fatal(err)
	}
	for _, a := range trials(o, dir) {
		if !a.free {
			continue
		}
		ran := run(t, port, tool.Program{Name: hostile(t), Args: append([]string{"attempt", a.name}, a.args...)})
		if string(ran.Stdout) != "success\n" {
			t.Errorf("%s %q: %s%s", a.name, a.args, ran.Stdout, ran.Stderr)
		}
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func TestNothingIsInherited(t *testing.T) {
	t.Setenv("HELVE_SECRET", "from the worker")
	fd, err := syscall.Open("/etc/passwd", syscall.O_RDONLY, 0) // without close-on-exec
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	everySpace(t, func(t *testing.T, space string) {
		port, _ := openIn(t, space, programs.Options{})
		ran := run(t, port, tool.Program{Name: hostile(t), Args: []string{"attempt", "descriptors"}})
		if string(ran.Stdout) != "0 1 2\n" {
			t.Errorf("open descriptors: %q, want 0, 1 and 2", ran.Stdout)
		}
		p := sh("env | cut -d= -f1 | sort | tr '\n' ' '")
		p.Env = []string{"MINE=0", "LANG=C", "MINE=1"}
		if got := string(run(t, port, p).Stdout); got != "GIT_CONFIG_NOSYSTEM HOME LANG MINE PATH PWD TMPDIR " {
			t.Errorf("environment: %q", got)
		}
		p.Args = []string{"-c", "echo $MINE $LANG"}
		if got := string(run(t, port, p).Stdout); got != "1 C\n" {
			t.Errorf("of two entries of a name the last must count: %q", got)
		}
		status := says(t, port, `while read -r key value; do case $key in CapInh:|CapPrm:|CapEff:|CapAmb:|NoNewPrivs:|Seccomp:) echo $key $value;; esac; done < /proc/self/status 2>/dev/null || echo none`)
		want := "CapInh: 0000000000000000\nCapPrm: 0000000000000000\nCapEff: 0000000000000000\nCapAmb: 0000000000000000\nNoNewPrivs: " +
			"1\nSeccomp: 2"
		if status != want && status != "none" && status != "" && !strings.Contains(status, "ermission") {
			t.Errorf("status: %s", status)
		}
	})
}
