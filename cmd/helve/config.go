package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/internal/cli"
	"github.com/helve-dev/helve/internal/identity/vault"
)

// configCommand sets the accounts of services; package cli adds the commands that use a
// server.
func configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Set, list and test the accounts of services that tools use",
		Long: "Set, list and test the accounts of services that tools use. Without --user an entry is\n" +
			"everybody's in the tenant; with the credential of a person it is that person's own.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return cli.Usage("say what to do: services, list, get, set, unset, test, rotate or key")
		},
	}
	cmd.AddCommand(configKeyCommand())
	return cmd
}

// configKeyCommand makes a master key. It needs no server.
func configKeyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "key",
		Short: "Print a new master key for the file of --secrets-key",
		Long: "Print a new master key, one line for the file of --secrets-key. To replace a key, add the\n" +
			"new one to the end of the files of all processes, then move it to the first line, run\n" +
			"`helve config rotate`, and remove the old line.",
		Example: "  (umask 077; helve config key > secrets.key)",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			key, err := vault.Generate()
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), key)
			return err
		},
	}
}
