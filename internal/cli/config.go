package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/client"
)

// defaultLabel is the label of the entry that tools use first.
const defaultLabel = "default"

// configOnServer adds the commands of `helve config` that use a server.
func configOnServer(s *session, config *cobra.Command) {
	config.AddCommand(configServices(s), configList(s), configGet(s), configSet(s), configUnset(s), configTest(s), configConnect(s),
		configRotate(s))
}

func configServices(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "services [NAME]",
		Short: "List the services and their fields",
		Args:  cobra.MaximumNArgs(1),
		RunE: s.connected(func(cmd *cobra.Command, args []string, c *client.Client) error {
			list, err := c.Services(cmd.Context(), strings.Join(args, ""), s.who.User)
			if err != nil {
				return err
			}
			if s.json {
				return printJSON(cmd.OutOrStdout(), map[string]any{"services": list.Services})
			}
			rows := [][]string{{"SERVICE", "FIELD", "TYPE", "NEEDED", "DEFAULT", "DESCRIPTION"}}
			for _, service := range list.Services {
				rows = append(rows, []string{service.Name, "", "", "", "", service.Description})
				for _, f := range service.Fields {
					rows = append(rows, []string{"", f.Name, typeOf(f), needed(f), f.Default, f.Description})
				}
			}
			return table(printable(cmd.OutOrStdout()), rows...)
		}),
	}
}

func typeOf(f client.ServiceField) string {
	switch {
	case f.Secret:
		return "secret"
	case len(f.Options) > 0:
		return strings.Join(f.Options, "|")
	}
	return f.Type
}

func needed(f client.ServiceField) string {
	if f.Required {
		return "yes"
	}
	return ""
}

func configList(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the stored entries, without secrets",
		Args:  cobra.NoArgs,
		RunE: s.connected(func(cmd *cobra.Command, _ []string, c *client.Client) error {
			list, err := c.Services(cmd.Context(), "", s.who.User)
			if err != nil {
				return err
			}
			return s.printEntries(cmd, list.Entries)
		}),
	}
}

func configGet(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "get SERVICE [LABEL]",
		Short: "Print the stored entries of a service, without secrets",
		Args:  cobra.RangeArgs(1, 2),
		RunE: s.connected(func(cmd *cobra.Command, args []string, c *client.Client) error {
			list, err := c.Services(cmd.Context(), args[0], s.who.User)
			if err != nil {
				return err
			}
			if len(args) == 2 {
				list.Entries = slices.DeleteFunc(list.Entries, func(e client.StoredService) bool { return e.Label != args[1] })
				if len(list.Entries) == 0 {
					return &client.RequestError{Type: client.NotFound, Message: fmt.Sprintf("there is no entry %s of the service %s", args[1], args[0])}
				}
			}
			return s.printEntries(cmd, list.Entries)
		}),
	}
}

func (s *session) printEntries(cmd *cobra.Command, entries []client.StoredService) error {
	if s.json {
		return printJSON(cmd.OutOrStdout(), map[string]any{"entries": entries})
	}
	if len(entries) == 0 {
		fmt.Fprintln(cmd.ErrOrStderr(), "no entries; helve config services lists what can be set")
		return nil
	}
	rows := [][]string{{"SERVICE", "LABEL", "OWNER", "ACTIVE", "FIELDS", "SET", "KEY"}}
	for _, e := range entries {
		owner := "everybody"
		if e.User != "" {
			owner = e.User
		}
		rows = append(rows, []string{e.Service, e.Label, owner, fmt.Sprint(e.Active), fieldsText(e.Fields), moment(e.At), e.KeyID})
	}
	return table(printable(cmd.OutOrStdout()), rows...)
}

// fieldsText returns the values of an entry, secrets only as set.
func fieldsText(fields map[string]json.RawMessage) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		var v any
		text := string(fields[name])
		if json.Unmarshal(fields[name], &v) == nil {
			switch v := v.(type) {
			case string:
				text = v
			case map[string]any:
				text = "(secret, set)"
			}
		}
		parts = append(parts, name+"="+text)
	}
	return strings.Join(parts, " ")
}

// entryArgs returns the service and the label of a command's arguments.
func entryArgs(args []string) (service, label string) {
	if len(args) == 2 {
		return args[0], args[1]
	}
	return args[0], defaultLabel
}

func configUnset(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "unset SERVICE [LABEL]",
		Short: "Delete an entry, or disconnect an account",
		Args:  cobra.RangeArgs(1, 2),
		RunE: s.connected(func(cmd *cobra.Command, args []string, c *client.Client) error {
			service, label := entryArgs(args)
			if label == defaultLabel { // it may be an account
				done, err := c.DisconnectAccount(cmd.Context(), service, s.who.User)
				if err != nil {
					return err
				}
				if done.Revoked != nil && !*done.Revoked {
					fmt.Fprintf(printable(cmd.ErrOrStderr()), "note: its tokens are removed, and were not revoked: %s\n", done.Message)
				}
			} else if err := c.DeleteService(cmd.Context(), service, label, s.who.User); err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "the entry %s of %s is deleted\n", label, service)
			return nil
		}),
	}
}

func configTest(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "test SERVICE [LABEL]",
		Short: "Make one request to a service with an entry, which costs nothing",
		Args:  cobra.RangeArgs(1, 2),
		RunE: s.connected(func(cmd *cobra.Command, args []string, c *client.Client) error {
			service, label := entryArgs(args)
			tested, err := c.TestService(cmd.Context(), service, label, s.who.User)
			if err != nil {
				return err
			}
			if s.json {
				err = printJSON(cmd.OutOrStdout(), tested)
			} else {
				_, err = fmt.Fprintln(printable(cmd.OutOrStdout()), tested.Message)
			}
			if err == nil && !tested.OK {
				return Exit(exitError)
			}
			return err
		}),
	}
}

func configRotate(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "rotate",
		Short: "Protect all entries with the first master key of the dispatcher",
		Long: "Protect all entries with the first master key of the dispatcher. It may be interrupted\n" +
			"and repeated. Afterwards the old key may be removed from the files of --secrets-key.",
		Args: cobra.NoArgs,
		RunE: s.connected(func(cmd *cobra.Command, _ []string, c *client.Client) error {
			done, err := c.RotateServices(cmd.Context())
			if err != nil {
				return err
			}
			if s.json {
				return printJSON(cmd.OutOrStdout(), done)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%d entries are now under the key %s\n", done.Rotated, done.KeyID)
			if done.Left > 0 {
				return fmt.Errorf("%d entries are under keys that the dispatcher lacks, and cannot be read", done.Left)
			}
			return nil
		}),
	}
}
