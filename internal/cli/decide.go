package cli

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/client"
)

func consentGrant(s *session) *cobra.Command {
	d := client.Decision{Grant: true}
	cmd := &cobra.Command{
		Use:   "grant CONSENT_ID",
		Short: "Let the call run, or answer a question",
		Long: "Let the call run. A question (see `helve consent show`) is granted with its answer:\n" +
			"one JSON object, or fields as --answer key=value, which may be repeated.",
		Args: cobra.ExactArgs(1),
	}
	var answer []string
	cmd.Flags().StringArrayVar(&answer, "answer", nil, "the answer to a question: `JSON|key=value`")
	cmd.Flags().StringVar((*string)(&d.Remember), "remember", string(client.RememberOnce),
		"for how long: once, program (the rest of the program that made the call), session\n(the conversation) or always (until it is revoked)")
	cmd.Flags().StringVar(&d.Comment, "comment", "", "a `TEXT` for people")
	decide := s.decide(&d)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		terms := []client.Remember{client.RememberOnce, client.RememberProgram, client.RememberSession, client.RememberAlways}
		if !slices.Contains(terms, d.Remember) {
			return Usage("--remember is once, program, session or always, not %q", d.Remember)
		}
		if len(answer) == 0 {
			return decide(cmd, args)
		}
		given, err := parseArguments(answer, cmd.InOrStdin())
		if err != nil {
			return err
		}
		return s.connected(func(cmd *cobra.Command, args []string, c *client.Client) error {
			asked, err := c.Consent(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			d.Answer = given.encode(parametersOf(asked.Schema))
			return decide(cmd, args)
		})(cmd, args)
	}
	return cmd
}

func consentDeny(s *session) *cobra.Command {
	var d client.Decision
	cmd := &cobra.Command{
		Use:   "deny CONSENT_ID",
		Short: "Refuse the call",
		Args:  cobra.ExactArgs(1),
		RunE:  s.decide(&d),
	}
	cmd.Flags().BoolVar(&d.NeverAsk, "never-ask", false, "refuse such calls from now on without a request")
	cmd.Flags().StringVar(&d.Comment, "comment", "", "a `TEXT` for people")
	return cmd
}

func (s *session) decide(d *client.Decision) func(*cobra.Command, []string) error {
	return s.connected(func(cmd *cobra.Command, args []string, c *client.Client) error {
		decided, err := c.Decide(cmd.Context(), args[0], *d)
		if err != nil {
			return err
		}
		if s.json {
			return printJSON(cmd.OutOrStdout(), decided)
		}
		return printText(cmd.OutOrStdout(), decided.ID+": "+string(decided.Status))
	})
}

func consentWatch(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "watch",
		Short: "Print consent requests as they arrive, until interrupted",
		Long: "Print consent requests as they arrive, one line each, until interrupted. Pending\n" +
			"requests come first. A terminal rings its bell.",
		Args: cobra.NoArgs,
		RunE: s.connected(func(cmd *cobra.Command, _ []string, c *client.Client) error {
			out := cmd.OutOrStdout()
			return c.WatchConsents(cmd.Context(), s.who.User, func(a client.Consent) error {
				ring(out)
				if s.json {
					return printJSON(out, a)
				}
				text := fmt.Sprintf("%s  %s  %s  %s (%s risk): %s", moment(a.RequestedAt), a.ID, a.User, a.Tool, a.Risk, oneLine(a.Reason))
				if a.Kind == client.ConsentAccount {
					text += "; connect it at " + a.ConnectURL
				}
				return printText(out, text)
			})
		}),
	}
}

// ring rings the bell of a terminal, which otherwise prints no control characters.
func ring(w io.Writer) {
	if t, ok := w.(*terminal); ok {
		_, _ = io.WriteString(t.w, "\a") // if it fails, so does the line that follows
	}
}
