package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/tool"
)

// Exit codes.
const (
	exitOK          = 0
	exitError       = 1
	exitUsage       = 2
	exitUnreachable = 3
)

// Run runs one command line, without the program's name, and returns its exit
// code. Extra commands stand beside those of this package: an error they return
// is 1 unless it is [Usage] or [client.ErrUnreachable].
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, extra ...*cobra.Command) int {
	root := Root(extra...)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(printable(stdout))
	root.SetErr(printable(stderr))
	cmd, err := root.ExecuteContextC(ctx)
	code, message := judge(ctx, err)
	if message != "" {
		fmt.Fprintln(root.ErrOrStderr(), message)
	}
	if code == exitUsage {
		fmt.Fprintf(root.ErrOrStderr(), "run '%s --help' for how to use it\n", cmd.CommandPath())
	}
	return code
}

// Usage returns the error of a command that was written wrong.
func Usage(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

type usageError struct{ error }

// errSaid ends a command with code 1 after it has said why.
var errSaid = errors.New("said already")

// begun marks errors of commands that ran: whatever comes before that is about
// how the command was written.
type begun struct{ error }

// Unwrap returns the command's own error.
func (b begun) Unwrap() error { return b.error }

// mark has every command below cmd mark its errors.
func mark(cmd *cobra.Command) {
	if run := cmd.RunE; run != nil {
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			if err := run(cmd, args); err != nil {
				return begun{err}
			}
			return nil
		}
	}
	for _, sub := range cmd.Commands() {
		mark(sub)
	}
}

// judge turns the error of a command into its exit code and what to print.
func judge(ctx context.Context, err error) (code int, message string) {
	_, ran := errors.AsType[begun](err)
	_, misused := errors.AsType[usageError](err)
	failed, isRequest := errors.AsType[*client.RequestError](err)
	call, isCall := errors.AsType[*tool.Error](err)
	switch {
	case err == nil:
		return exitOK, ""
	case errors.Is(err, errSaid):
		return exitError, ""
	case misused, !ran:
		return exitUsage, "helve: " + err.Error()
	case errors.Is(err, client.ErrUnreachable):
		text := err.Error()
		if isRequest {
			text = failed.Message
		}
		return exitUnreachable, text + "; is `helve up` running?"
	case isRequest:
		return exitError, failed.Error()
	case isCall:
		return exitError, call.Error()
	case ctx.Err() != nil && errors.Is(err, context.Cause(ctx)):
		return exitError, "interrupted"
	}
	return exitError, "helve: " + err.Error()
}
