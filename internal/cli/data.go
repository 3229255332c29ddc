package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/protocol"
)

// dataOnServer makes the commands of `helve data` that a server can do use the server that the
// flags or HELVE_SERVER name. Without a server, or with flags of a database, they open the
// database themselves.
func dataOnServer(s *session, data *cobra.Command) {
	for _, cmd := range data.Commands() {
		do := dataCommands[cmd.Name()]
		if do == nil {
			continue
		}
		if cmd.Name() == "delete" {
			confirmed(cmd)
		}
		here := cmd.RunE
		onServer := s.connected(func(cmd *cobra.Command, args []string, c *client.Client) error { return do(s, cmd, args, c) })
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			flags := cmd.Flags()
			named, database := flags.Changed("server") || flags.Changed("nats-context"), flags.Changed("data") || flags.Changed("store")
			switch {
			case named && database:
				return Usage("give --server or the database, not both")
			case database || !named && os.Getenv("HELVE_SERVER") == "":
				return here(cmd, args)
			}
			return onServer(cmd, args)
		}
	}
}

// confirmed has a command that cannot be undone run only after a yes: --yes, or the answer of
// the person at the terminal.
func confirmed(cmd *cobra.Command) {
	yes := cmd.Flags().Bool("yes", false, "do it without asking")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		user, _ := cmd.Flags().GetString("user")
		if *yes || user == "" { // without a person the command itself returns the usage error
			return nil
		}
		return agreed(cmd, user, "this deletes all data of "+user+" and cannot be undone", "nothing was deleted")
	}
}

// agreed returns nil if the person at the terminal types the answer to what a command is about to
// do, and a usage error otherwise. Without a terminal it names --yes.
func agreed(cmd *cobra.Command, answer, what, left string) error {
	in, ok := cmd.InOrStdin().(*os.File)
	if !ok || !isTerminal(in) {
		return Usage("%s; give --yes to do it", what)
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s. Type %s to go on: ", what, answer)
	if line, _ := bufio.NewReader(in).ReadString('\n'); strings.TrimSpace(line) != answer {
		return Usage("%s", left)
	}
	return nil
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
	_, err = io.WriteString(cmd.OutOrStdout(), ImportText(done))
	return err
}

// ImportText returns the outcome of an import as lines for a person.
func ImportText(done protocol.DataImported) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d items added, %d replaced, %d left as they were\n", done.Added, done.Replaced, done.Kept)
	if done.Skipped > 0 {
		fmt.Fprintf(&b, "%d items left out:\n", done.Skipped)
	}
	for _, p := range done.Problems {
		name := ""
		if p.Item != "" {
			name = fmt.Sprintf(" (%q)", p.Item)
		}
		how := "left out"
		if p.Stored {
			how = "stored"
		}
		fmt.Fprintf(&b, "  line %d%s, %s: %s\n", p.Line, name, how, p.Reason)
	}
	if hidden := done.Skipped - len(done.Problems); hidden > 0 {
		fmt.Fprintf(&b, "  and %d more\n", hidden)
	}
	return b.String()
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
	fmt.Fprintf(out, "deleted %d items, %d results of calls, %d kept calls, %d grants and %d custom tools\n",
		done.Items, done.CallResults+int64(done.Results), done.KeptCalls, done.Grants, done.CustomTools)
	for _, left := range done.Left {
		fmt.Fprintf(out, "left: %s\n", left)
	}
	return nil
}
