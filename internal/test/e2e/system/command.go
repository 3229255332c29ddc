package system

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/cli"
)

// Command runs the command helve and returns its exit code, its output and its complaints.
func Command(t testing.TB, stdin io.Reader, args ...string) (code int, out, complaints string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	ctx := Context(t)
	Await(t, "helve "+strings.Join(args, " ")+" has ended", func() { code = cli.Run(ctx, args, stdin, &stdout, &stderr) })
	return code, stdout.String(), stderr.String()
}
