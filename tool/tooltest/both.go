package tooltest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/testpostgres"
)

// onPostgres is the variable that [OnBoth] sets for the second run.
const onPostgres = "HELVE_TEST_STORE_POSTGRES"

// OnBoth runs the tests of a package with stores on SQLite. If they pass, and
// HELVE_TEST_POSTGRES is the URL of a PostgreSQL server, it runs them again with stores on
// that server. It returns the exit code, for os.Exit in TestMain.
func OnBoth(m *testing.M) int {
	code := m.Run()
	if code != 0 || os.Getenv(testpostgres.Env) == "" || os.Getenv(onPostgres) != "" {
		return code
	}
	fmt.Fprintln(os.Stderr, "again, with stores on PostgreSQL")
	// What the command go writes for this process is not for the second one.
	args := slices.DeleteFunc(slices.Clone(os.Args[1:]), func(arg string) bool {
		return strings.HasPrefix(arg, "-test.testlogfile=") || strings.HasPrefix(arg, "-test.coverprofile=") ||
			strings.HasPrefix(arg, "-test.gocoverdir=")
	})
	again := exec.CommandContext(context.Background(), os.Args[0], args...)
	again.Env = append(os.Environ(), onPostgres+"=1")
	again.Stdout, again.Stderr = os.Stdout, os.Stderr
	err := again.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return max(1, exit.ExitCode())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "tests with stores on PostgreSQL not run:", err)
		return 1
	}
	return 0
}
