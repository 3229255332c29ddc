package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/cli"
)

func bench(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr strings.Builder
	code = cli.Run(t.Context(), append([]string{"bench"}, args...), strings.NewReader(""), &stdout, &stderr, benchCommand())
	return code, stdout.String(), stderr.String()
}

func TestBenchRunsTheProgram(t *testing.T) {
	dir := t.TempDir()
	const script = "#!/bin/sh\necho \"out $*\"\necho \"err $#\" >&2\nexit 7\n"
	if err := os.WriteFile(filepath.Join(dir, benchProgram), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	code, out, errs := bench(t, "faults", "--calls", "10", "--json", "--help")
	if code != 7 || out != "out faults --calls 10 --json --help\n" || errs != "err 5\n" {
		t.Errorf("bench = %d, %q, %q, want what the program was given, wrote and ended with", code, out, errs)
	}
}

func TestBenchWithoutTheProgram(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for _, tt := range []struct{ dir, want string }{
		{".", "run 'go -C bench run ./cmd/helve-bench --only bare'"},
		{t.TempDir(), "get the source of github.com/helve-dev/helve"},
	} {
		t.Chdir(tt.dir)
		code, out, errs := bench(t, "--only", "bare")
		if code != 1 || out != "" || !strings.Contains(errs, tt.want) {
			t.Errorf("bench in %s = %d, %q, %q, want code 1 and %s", tt.dir, code, out, errs, tt.want)
		}
	}
}
