package archtest

import (
	"fmt"
	"go/ast"
	"path"
	"slices"
	"strings"
	"testing"
)

// confining lists the system calls that restrict a process, or create namespaces, by
// their names in golang.org/x/sys/unix and syscall. A name that ends in * is a prefix.
var confining = []string{
	"LANDLOCK_*", "SYS_LANDLOCK_*", "Landlock*",
	"SECCOMP_*", "SYS_SECCOMP", "PR_SET_SECCOMP", "SockFprog", "BPF_*",
	"PR_SET_NO_NEW_PRIVS", "PR_SET_SECUREBITS", "PR_CAPBSET_DROP", "PR_CAP_AMBIENT", "PR_SET_DUMPABLE", "SYS_CAPSET", "Capset",
	"Setrlimit", "Prlimit", "SYS_SETRLIMIT", "SYS_PRLIMIT64",
	"Unshare", "Setns", "SYS_UNSHARE", "SYS_SETNS", "SYS_CLONE", "SYS_CLONE3", "CLONE_NEW*",
	"CloseRange", "AllThreadsSyscall",
}

// brokenConfining finds code outside internal/ports/confine that restricts a process.
func brokenConfining(all []source) []string {
	var broken []string
	for _, s := range all {
		if s.Test || under(s.Dir, "internal/ports/confine") {
			continue
		}
		names := imports(s.File)
		ast.Inspect(s.File, func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			pkg, name, ok := qualified(e, names)
			if !ok || pkg != "syscall" && pkg != "golang.org/x/sys/unix" ||
				!slices.ContainsFunc(confining, func(pattern string) bool { return fits(pattern, name) }) {
				return true
			}
			broken = append(broken, fmt.Sprintf(
				"%s: %s.%s confines a process: there is one implementation of that, with tests of every attempt; use or extend internal/ports/confine",
				s.at(n), path.Base(pkg), name,
			))
			return true
		})
	}
	return broken
}

func fits(pattern, name string) bool {
	prefix, many := strings.CutSuffix(pattern, "*")
	return name == pattern || many && strings.HasPrefix(name, prefix)
}

func TestConfining(t *testing.T) {
	all := sources(t)
	report(t, brokenConfining(all))
	if !slices.ContainsFunc(all, func(s source) bool { return s.Dir == "internal/ports/confine" }) {
		t.Error("there is no internal/ports/confine: this test no longer knows where processes are confined")
	}
}

func TestBrokenConfining(t *testing.T) {
	for call, want := range map[string]int{
		"unix.SYS_LANDLOCK_RESTRICT_SELF": 1, "unix.LANDLOCK_ACCESS_FS_EXECUTE": 1, "unix.LandlockPathBeneathAttr{}": 1,
		"unix.SYS_SECCOMP": 1, "unix.SECCOMP_RET_KILL_PROCESS": 1, "unix.BPF_JMP": 1, "unix.SockFprog{}": 1,
		"unix.PR_SET_NO_NEW_PRIVS": 1, "unix.PR_CAPBSET_DROP": 1, "unix.Capset": 1,
		"unix.Setrlimit": 1, "syscall.Setrlimit": 1, "unix.Prlimit": 1,
		"unix.Unshare": 1, "unix.SYS_UNSHARE": 1, "unix.Setns": 1, "syscall.CLONE_NEWUSER": 1, "unix.CLONE_NEWNS": 1,
		"unix.Getrlimit": 0, "unix.PR_SET_CHILD_SUBREAPER": 0, "unix.SIGKILL": 0, "syscall.ForkExec": 0, "other.Setrlimit": 0,
	} {
		text := "package x\n\nimport (\n\t\"syscall\"\n\n\t\"golang.org/x/sys/unix\"\n)\n\nvar _ = " + call + "\n"
		for file, want := range map[string]int{
			"internal/bus/queue/x.go": want, "internal/bus/queue/x_test.go": 0, "internal/ports/confine/x.go": 0, "internal/confined/x.go": want,
		} {
			if got := brokenConfining([]source{parse(t, file, text)}); len(got) != want {
				t.Errorf("brokenConfining(%s with %s) = %q, want %d findings", file, call, got, want)
			}
		}
	}
}
