package cli

import (
	"cmp"
	"fmt"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/client"
)

func upstreamCommand(s *session) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "upstream",
		Short: "List, show and accept the definitions of tools of MCP servers and API documents",
		Long: "List, show and accept the definitions of tools of MCP servers and API documents. A definition\n" +
			"that changed since it was accepted is withheld until it is accepted again.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return Usage("say what to do: list, show or accept") },
	}
	cmd.AddCommand(upstreamList(s), upstreamShow(s), upstreamAccept(s))
	return cmd
}

func upstreamList(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the tools of MCP servers and API documents, and which of them are withheld",
		Args:  cobra.NoArgs,
		RunE: s.connected(func(cmd *cobra.Command, _ []string, c *client.Client) error {
			tools, err := c.Upstreams(cmd.Context())
			if err != nil {
				return err
			}
			if s.json {
				return printJSON(cmd.OutOrStdout(), map[string]any{"tools": tools})
			}
			if len(tools) == 0 {
				fmt.Fprintln(cmd.ErrOrStderr(), "nothing is there")
				return nil
			}
			rows := [][]string{{"TOOL", "SERVER", "STATE", "ACCEPTED", "BY", "WAITING", "SINCE"}}
			for _, u := range tools {
				since := ""
				if !u.SeenAt.IsZero() {
					since = moment(u.SeenAt)
				}
				rows = append(rows, []string{u.Tool, u.Server, u.State, short(u.Accepted), cmp.Or(u.By, "-"), short(u.Seen), cmp.Or(since, "-")})
			}
			return table(printable(cmd.OutOrStdout()), rows...)
		}),
	}
}

// short returns the beginning of a hash.
func short(hash string) string {
	const shown = len("sha256:") + 12
	if len(hash) > shown {
		return hash[:shown] + "…"
	}
	return cmp.Or(hash, "-")
}

func upstreamShow(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "show NAME",
		Short: "Print a tool's accepted and pending definitions",
		Args:  cobra.ExactArgs(1),
		RunE: s.connected(func(cmd *cobra.Command, args []string, c *client.Client) error {
			u, err := c.Upstream(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return s.printUpstream(cmd, u)
		}),
	}
}

func upstreamAccept(s *session) *cobra.Command {
	var hash, server string
	cmd := &cobra.Command{
		Use:   "accept NAME [--hash HASH] | --all-of SERVER",
		Short: "Accept a tool's pending definition, or those of all tools of a server",
		Long: "Accept a tool's pending definition, and print it. With --hash\n" +
			"only the definition with that hash is accepted, not a newer one. With --all-of every definition\n" +
			"that waits of a server or API document is accepted; look at `helve upstream list` before.",
		Args: cobra.MaximumNArgs(1),
	}
	cmd.Flags().StringVar(&hash, "hash", "", "the `HASH` that `helve upstream show` printed")
	cmd.Flags().StringVar(&server, "all-of", "", "the `SERVER` or API document whose pending definitions to accept")
	cmd.RunE = s.connected(func(cmd *cobra.Command, args []string, c *client.Client) error {
		switch {
		case (server == "") == (len(args) == 0), server != "" && hash != "":
			return Usage("name a tool, or a server with --all-of")
		case server != "":
			return acceptServer(cmd, c, server)
		}
		return s.acceptTool(cmd, c, args[0], hash)
	})
	return cmd
}

// acceptTool accepts the pending definition of a tool, or the definition of a hash.
func (s *session) acceptTool(cmd *cobra.Command, c *client.Client, name, hash string) error {
	if hash == "" {
		u, err := c.Upstream(cmd.Context(), name)
		if err != nil {
			return err
		}
		if u.Seen == "" {
			fmt.Fprintf(cmd.ErrOrStderr(), "nothing of %s waits\n", u.Tool)
			return nil
		}
		if err := s.printUpstream(cmd, u); err != nil {
			return err
		}
		hash = u.Seen
	}
	u, err := c.AcceptUpstream(cmd.Context(), name, hash)
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s may be offered by the definition %s\n", u.Tool, u.Accepted)
	return nil
}

// acceptServer accepts every pending definition of a server, each by the hash that it had
// when the list was read.
func acceptServer(cmd *cobra.Command, c *client.Client, server string) error {
	tools, err := c.Upstreams(cmd.Context())
	if err != nil {
		return err
	}
	accepted := 0
	for _, u := range tools {
		if u.Server != server || u.Seen == "" {
			continue
		}
		if _, err := c.AcceptUpstream(cmd.Context(), u.Tool, u.Seen); err != nil {
			return fmt.Errorf("%s, after %d others were accepted: %w", u.Tool, accepted, err)
		}
		accepted++
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%d definitions of %s are accepted\n", accepted, server)
	return nil
}

func (s *session) printUpstream(cmd *cobra.Command, u client.Upstream) error {
	out := printable(cmd.OutOrStdout())
	if s.json {
		return printJSON(out, u)
	}
	if err := table(out,
		[]string{"tool", u.Tool}, []string{"server", u.Server}, []string{"its name there", u.Name}, []string{"state", u.State},
		[]string{"accepted", cmp.Or(u.Accepted, "-")}, []string{"waiting", cmp.Or(u.Seen, "-")},
	); err != nil {
		return err
	}
	for _, one := range []struct {
		what string
		text []byte
	}{{"accepted:", u.Definition}, {"waiting:", u.SeenDefinition}} {
		if len(one.text) == 0 {
			continue
		}
		fmt.Fprintln(out, one.what)
		if err := printIndented(out, visible(one.text)); err != nil {
			return err
		}
	}
	return nil
}

// visible escapes the characters that are invisible in JSON: a person who accepts a
// definition must see everything that a model would.
func visible(text []byte) []byte {
	var out []byte
	for _, r := range string(text) {
		hidden := !unicode.IsPrint(r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
		switch {
		case r < utf8.RuneSelf || !hidden:
			out = utf8.AppendRune(out, r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}
