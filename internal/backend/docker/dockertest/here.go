package dockertest

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// Here runs the commands of containers on this machine, in a directory of their own
// where /work would be, for tests of commands that are written in the test or the
// code it tests. It confines nothing.
func Here(t testing.TB) func(b *Box) Exit {
	t.Helper()
	root := t.TempDir()
	return func(b *Box) Exit {
		dir, err := os.MkdirTemp(root, "work") //nolint:usetesting // below the test's own
		if err != nil {
			t.Error(err)
			return Exit{Code: 126}
		}
		command := b.Command()
		cmd := exec.CommandContext(b.Killed, command[0], command[1:]...) //nolint:gosec // as said
		cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, b.Stdin, b.Stdout, b.Stderr
		cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, b.Request.Env...)
		for i, entry := range cmd.Env {
			if strings.HasPrefix(entry, "HOME=") {
				cmd.Env[i] = "HOME=" + dir
			}
		}
		cmd.WaitDelay = time.Second
		if cmd.Stdin != nil && !b.Request.OpenStdin {
			cmd.Stdin = bytes.NewReader(nil)
		}
		err = cmd.Run()
		var exit *exec.ExitError
		switch {
		case b.Killed.Err() != nil:
			return Exit{Code: 137}
		case errors.As(err, &exit):
			return Exit{Code: exit.ExitCode()}
		case err != nil:
			t.Errorf("%q: %v", command, err)
			return Exit{Code: 127}
		}
		return Exit{}
	}
}
