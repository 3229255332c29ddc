package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/client"
)

// linkInterval is the interval at which a connection by a browser is looked at.
const linkInterval = 2 * time.Second

func configConnect(s *session) *cobra.Command {
	var browser bool
	cmd := &cobra.Command{
		Use:   "connect SERVICE",
		Short: "Connect your account of a service, for the tools that use it",
		Long: "Connect your account of a service. It prints a code to enter at the provider or, if the\n" +
			"provider has none, a link to open in a browser on this machine or another one, and\n" +
			"waits until the account is connected. A browser that you are not signed in with shows\n" +
			"a code, which you enter here. --user is the person whose account it is.",
		Example: "  helve config connect github --user ann",
		Args:    cobra.ExactArgs(1),
	}
	cmd.Flags().BoolVar(&browser, "browser", false, "print a link even if the provider has codes, which may allow less")
	cmd.RunE = s.connected(func(cmd *cobra.Command, args []string, c *client.Client) error {
		begun, err := c.ConnectAccount(cmd.Context(), args[0], s.who.User, browser)
		if err != nil {
			return err
		}
		if err := printConnection(cmd, begun); err != nil {
			return err
		}
		ended, err := awaitConnection(cmd.Context(), c, begun)
		if err == nil {
			ended, err = confirmConnection(cmd, c, ended)
		}
		if err != nil {
			return err
		}
		if s.json {
			err = printJSON(cmd.OutOrStdout(), ended)
		} else {
			err = printText(cmd.OutOrStdout(), fmt.Sprintf("%s: %s for %s", ended.Service, outcomeText(ended.Status), ended.User))
		}
		if err == nil && ended.Status != client.ConnectionConnected {
			return Exit(exitError)
		}
		return err
	})
	return cmd
}

// printConnection prints what the person has to do, beside the output.
func printConnection(cmd *cobra.Command, begun client.Connection) error {
	text := "open " + begun.ConnectURL + " in a browser; it is for you only"
	if d := begun.Device; d != nil {
		text = fmt.Sprintf("open %s and enter the code %s", d.VerificationURI, d.UserCode)
		if d.VerificationURIComplete != "" {
			text += ", or open " + d.VerificationURIComplete
		}
	}
	return printText(printable(cmd.ErrOrStderr()), text)
}

// awaitConnection asks for the status of a connection until it has one, as often as the
// provider allows.
func awaitConnection(ctx context.Context, c *client.Client, now client.Connection) (client.Connection, error) {
	for now.Status == client.ConnectionPending {
		wait := linkInterval
		if now.Device != nil {
			wait = time.Duration(max(now.Device.IntervalSeconds, 1)) * time.Second
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return now, context.Cause(ctx)
		case <-timer.C:
		}
		next, err := c.Connection(ctx, now.Service, now.User, now.ID)
		if err != nil {
			return now, err
		}
		now = next
	}
	return now, nil
}

// confirmConnection reads the code that the browser shows, until it is the right one.
func confirmConnection(cmd *cobra.Command, c *client.Client, now client.Connection) (client.Connection, error) {
	in := bufio.NewReader(cmd.InOrStdin())
	for now.Status == client.ConnectionConfirm {
		if err := printText(printable(cmd.ErrOrStderr()), "enter the code that the browser shows:"); err != nil {
			return now, err
		}
		line, err := in.ReadString('\n')
		if strings.TrimSpace(line) == "" {
			if err == nil {
				continue
			}
			return now, Usage("standard input ended before the code was entered; nothing is connected")
		}
		next, err := c.ConfirmConnection(cmd.Context(), now.Service, now.User, now.ID, strings.TrimSpace(line))
		if wrong, ok := errors.AsType[*client.RequestError](err); ok && wrong.Type == client.BadRequest {
			err = printText(printable(cmd.ErrOrStderr()), wrong.Message)
		} else if err == nil {
			now = next
		}
		if err != nil {
			return now, err
		}
	}
	return now, nil
}

func outcomeText(status string) string {
	switch status {
	case client.ConnectionConnected:
		return "the account is connected"
	case client.ConnectionDenied:
		return "not connected, because it was denied at the provider"
	}
	return "not connected in time"
}
