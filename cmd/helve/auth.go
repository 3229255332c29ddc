package main

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/helve-dev/helve/internal/cli"
	"github.com/helve-dev/helve/internal/identity"
)

// authCommand creates credentials. It needs no server.
func authCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "auth",
		Short: "Create credentials for callers",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(authKeyCommand())
	return cmd
}

// authKeyCommand creates an API key and prints it with its entry for the key file.
func authKeyCommand() *cobra.Command {
	var e identity.Entry
	var lifetime time.Duration
	var file string
	cmd := &cobra.Command{
		Use:   "key --role ROLES",
		Short: "Create an API key and its entry for the key file",
		Long: "Create an API key. It is shown once and stored nowhere; its entry, which has only\n" +
			"its hash, goes into the file that auth.keys_file names; --add writes it there.\n\n" +
			"Without --user or --agent the key's holder may act for any of the tenant: use such\n" +
			"keys for front ends, which serve many people.",
		Example: "  helve auth key --role user --user ada --name 'laptop of ada' --expires 2160h\n" +
			"  helve auth key --role agent --agent planner",
		Args: cobra.NoArgs,
	}
	flags := cmd.Flags()
	flags.StringVar(&e.Tenant, "tenant", "default", "`NAME` of the key's tenant")
	flags.StringVar(&e.User, "user", "", "`NAME` of the only person that the key may act for")
	flags.StringVar(&e.Agent, "agent", "", "`NAME` of the only agent that may use the key")
	flags.StringSliceVar(&e.Roles, "role", nil, fmt.Sprintf("`ROLES`, some of %v with commas", identity.Roles()))
	flags.StringVar(&e.Name, "name", "", "`TEXT` that names the key in logs and the audit trail")
	flags.DurationVar(&lifetime, "expires", 0, "`DURATION` such as 720h after which the key expires")
	flags.StringVar(&file, "add", "", "add the entry to the key `FILE`, which is created if missing")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if cmd.Flags().Changed("expires") {
			if lifetime < time.Minute {
				return cli.Usage("--expires is %s; want a minute or more", lifetime)
			}
			e.Expires = time.Now().Add(lifetime).UTC().Format(time.RFC3339)
		}
		var key string
		key, e.ID, e.Hash = identity.NewKey()
		if err := e.Check(); err != nil {
			return cli.Usage("%w", err)
		}
		if file != "" {
			if err := identity.AddKey(file, e); err != nil {
				return err
			}
		}
		asJSON, _ := cmd.Flags().GetBool("json")
		return printKey(cmd.OutOrStdout(), key, e, file, asJSON)
	}
	return cmd
}

func printKey(w io.Writer, key string, e identity.Entry, file string, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(map[string]any{"key": key, "entry": e})
	}
	if file != "" {
		_, err := fmt.Fprintf(w, "The key, shown this once:\n\n%s\n\nIts entry is in %s.\n", key, file)
		return err
	}
	entry, err := yaml.Marshal([]identity.Entry{e})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "The key, shown this once:\n\n%s\n\nAdd to auth.keys_file:\n\n%s", key, entry)
	return err
}
