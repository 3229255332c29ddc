package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/internal/cli"
	"github.com/helve-dev/helve/internal/identity/keyfile"
	"github.com/helve-dev/helve/internal/identity/keysync"
	"github.com/helve-dev/helve/internal/identity/token"
)

// purposes lists the purposes of a dispatcher's keys.
func purposes() []string { return []string{keysync.Token, keysync.Seal} }

// keysCommand creates and replaces the signing keys of dispatchers. It needs no server.
func keysCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "keys",
		Short: "Create and replace the signing keys of dispatchers",
		Long: "Create and replace the signing keys of dispatchers: token.pem signs confirm tokens and\n" +
			"decisions, seal.pem the seals of the audit trail. A dispatcher creates missing keys\n" +
			"itself; create them in advance to give several dispatchers the same keys.",
	}
	cmd.AddCommand(keysMakeCommand(), keysRotateCommand())
	return cmd
}

func keysDir(cmd *cobra.Command) *string {
	return cmd.Flags().String("dir", filepath.Join(cmp.Or(os.Getenv("HELVE_DATA"), "data"), "keys"),
		"`DIR` of the keys; keys.dir of the configuration")
}

func keysMakeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "make [--dir DIR]",
		Short:   "Create missing signing keys, and print the public keys",
		Example: "  helve keys make --dir keys\n  kubectl create secret generic helve-keys --from-file keys",
		Args:    cobra.NoArgs,
	}
	dir := keysDir(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		for _, purpose := range purposes() {
			set, err := keyfile.LoadSet(*dir, purpose)
			if err != nil {
				return err
			}
			if err := printKeys(cmd.OutOrStdout(), *dir, purpose, set); err != nil {
				return err
			}
		}
		return nil
	}
	return cmd
}

func keysRotateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rotate token|seal [--dir DIR]",
		Short: "Create a new signing key; the old one verifies until its file is removed",
		Long: "Create a new signing key. The public half of the old one stays in the directory, as\n" +
			"PURPOSE.ID.pem, and verifies what it signed until that file is removed. Restart the\n" +
			"dispatchers after each change.",
		Example:   "  helve keys rotate token --dir keys",
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs: purposes(),
	}
	dir := keysDir(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if _, err := os.Stat(filepath.Join(*dir, args[0]+".pem")); err != nil {
			return cli.Usage("there is no key to replace in %s; create one with helve keys make", *dir)
		}
		set, err := keyfile.Rotate(*dir, args[0], token.KeyID)
		if err != nil {
			return err
		}
		return printKeys(cmd.OutOrStdout(), *dir, args[0], set)
	}
	return cmd
}

func printKeys(w io.Writer, dir, purpose string, set keyfile.Set) error {
	_, err := fmt.Fprintf(w, "%s: %s signs, key %s\n%s",
		purpose, filepath.Join(dir, purpose+".pem"), token.KeyID(set.Public()), keyfile.PublicPEM(set.Public()))
	for _, old := range set.Old {
		if err == nil {
			_, err = fmt.Fprintf(w, "%s: key %s verifies\n", purpose, token.KeyID(old))
		}
	}
	return err
}
