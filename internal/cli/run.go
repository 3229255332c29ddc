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

// Run runs one command line, without the program's name, and returns its exit code.
// Extra commands are added to those of this package: an error they return means 1
// unless it is [Usage] or [client.ErrUnreachable].
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, extra ...*cobra.Command) int {
	return Execute(ctx, Root(extra...), args, stdin, stdout, stderr)
}

// Execute runs one command line of root, a command of [Root] or of another program that
// should behave the same, and returns its exit code.
func Execute(ctx context.Context, root *cobra.Command, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	mark(root)
	root.SetArgs(append([]string{}, args...)) // nil would mean the program's own arguments
	root.SetIn(stdin)
	root.SetOut(printable(stdout))
	root.SetErr(printable(stderr))
	cmd, err := root.ExecuteContextC(ctx)
	code, message := judge(ctx, root.Name(), err)
	if message != "" {
		fmt.Fprintln(root.ErrOrStderr(), message)
	}
	if code == exitUsage {
		fmt.Fprintf(root.ErrOrStderr(), "run '%s --help' for how to use it\n", cmd.CommandPath())
	}
	return code
}

// Usage returns a usage error.
func Usage(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

type usageError struct{ error }

// Exit returns the error of a command that has reported its failure itself and ends
// with this code.
func Exit(code int) error { return exitCode(code) }

type exitCode int

// Error implements the error interface.
func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// errSaid ends a command with code 1 after it has printed the reason.
var errSaid = errors.New("said already")

// begun marks errors of commands that ran: any other error is a usage error.
type begun struct{ error }

// Unwrap returns the command's own error.
func (b begun) Unwrap() error { return b.error }

// mark makes every command below cmd mark its errors.
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

// judge converts the error of a command to its exit code and message. A message begins
// with the name of the program.
func judge(ctx context.Context, program string, err error) (code int, message string) {
	_, ran := errors.AsType[begun](err)
	_, misused := errors.AsType[usageError](err)
	failed, isRequest := errors.AsType[*client.RequestError](err)
	call, isCall := errors.AsType[*tool.Error](err)
	exit, isExit := errors.AsType[exitCode](err)
	switch {
	case err == nil:
		return exitOK, ""
	case isExit:
		return int(exit), ""
	case errors.Is(err, errSaid):
		return exitError, ""
	case misused, !ran:
		return exitUsage, program + ": " + err.Error()
	case errors.Is(err, client.ErrUnreachable):
		text := err.Error()
		if isRequest {
			text = failed.Message
		}
		if call, ok := errors.AsType[lostError](err); ok {
			return exitUnreachable, fmt.Sprintf("%s; call %s may have been accepted: see `helve get %s`", text, call.callID, call.callID)
		}
		return exitUnreachable, text + "; is `helve up` running?"
	case isRequest:
		return exitError, failed.Error()
	case isCall:
		return exitError, call.Error()
	case ctx.Err() != nil && errors.Is(err, context.Cause(ctx)):
		return exitError, "interrupted"
	}
	return exitError, program + ": " + err.Error()
}
