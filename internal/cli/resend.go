package cli

import (
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/client"
)

// resendGrace is added to the wait of a call whose server was lost, as time for the
// server to restart.
const resendGrace = 3 * time.Second

// execute runs one call. If the server is lost after the call may have arrived, it
// sends the call again under the same ID, which never runs twice, and prints a note.
func (s *session) execute(cmd *cobra.Command, c *client.Client, req client.Request) (client.Result, error) {
	ctx, id := cmd.Context(), req.Calls[0].ID
	resp, err := c.Execute(ctx, req)
	if lost(err) && ctx.Err() == nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "the server was lost; sending call %s again\n", id)
		if resp, err = s.resend(cmd, req); errors.Is(err, client.ErrUnreachable) {
			err = lostError{err, id}
		}
	}
	switch {
	case err == nil:
		return resp.Results[0], nil
	case ctx.Err() != nil:
		return client.Result{}, fmt.Errorf("interrupted; the call may still run: see `helve get %s`", id)
	}
	return client.Result{}, err
}

func (s *session) resend(cmd *cobra.Command, req client.Request) (client.Response, error) {
	c, err := s.client(cmd, client.WithRetryFor(max(req.Wait, 0)+resendGrace))
	if err != nil {
		return client.Response{}, err
	}
	defer c.Close()
	return c.Execute(cmd.Context(), req)
}

// lost reports whether a request may have reached a server that did not answer it.
func lost(err error) bool {
	if !errors.Is(err, client.ErrUnreachable) {
		return false
	}
	op, ok := errors.AsType[*net.OpError](err)
	return !ok || op.Op != "dial"
}

// lostError is the failure to learn the outcome of a call with an ID.
type lostError struct {
	error

	callID string
}

// Unwrap returns the error of the request.
func (e lostError) Unwrap() error { return e.error }
