package cli

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/client"
)

// dataOnServer makes the commands of `helve data` that a server can do use the server that
// the flags name. Without such a flag they open the database themselves.
func dataOnServer(s *session, data *cobra.Command) {
	for _, cmd := range data.Commands() {
		do := dataCommands[cmd.Name()]
		if do == nil {
			continue
		}
		here := cmd.RunE
		onServer := s.connected(func(cmd *cobra.Command, args []string, c *client.Client) error { return do(s, cmd, args, c) })
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			flags := cmd.Flags()
			if !flags.Changed("server") && !flags.Changed("nats-context") {
				return here(cmd, args)
			}
			if flags.Changed("data") || flags.Changed("store") {
				return Usage("give --server or the database, not both")
			}
			return onServer(cmd, args)
		}
	}
}

var dataCommands = map[string]func(*session, *cobra.Command, []string, *client.Client) error{
	"export": exportData, "import": importData, "delete": deleteData,
}

func exportData(s *session, cmd *cobra.Command, _ []string, c *client.Client) error {
	format, _ := cmd.Flags().GetString("format")
	return c.ExportData(cmd.Context(), s.who.User, format, cmd.OutOrStdout())
}

func importData(s *session, cmd *cobra.Command, args []string, c *client.Client) error {
	format, _ := cmd.Flags().GetString("format")
	replace, _ := cmd.Flags().GetBool("replace")
	file, err := fileOrInput(cmd, args)
	if err != nil {
		return err
	}
	done, err := c.ImportData(cmd.Context(), s.who.User, format, file, replace)
	if err != nil {
		return err
	}
	if s.json {
		return printJSON(cmd.OutOrStdout(), done)
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d items added, %d replaced, %d left as they were\n", done.Added, done.Replaced, done.Kept)
	return err
}

func fileOrInput(cmd *cobra.Command, args []string) ([]byte, error) {
	if len(args) == 0 || args[0] == "-" {
		return io.ReadAll(cmd.InOrStdin())
	}
	return os.ReadFile(args[0])
}

func deleteData(s *session, cmd *cobra.Command, _ []string, c *client.Client) error {
	if s.who.User == "" {
		return Usage("name the person with --user; _ is the person of calls without a user")
	}
	done, err := c.DeleteData(cmd.Context(), s.who.User)
	if err != nil {
		return err
	}
	if s.json {
		return printJSON(cmd.OutOrStdout(), done)
	}
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "deleted %d items, %d results of calls, %d grants and %d custom tools\n", done.Items, done.CallResults+int64(done.Results), done.Grants, done.CustomTools)
	for _, left := range done.Left {
		fmt.Fprintf(out, "left: %s\n", left)
	}
	return nil
}
