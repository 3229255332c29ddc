package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/client"
)

// maxSecret bounds what is read of a file or of standard input: more than a server takes.
const maxSecret = 1 << 20

func configSet(s *session) *cobra.Command {
	var fromFile []string
	var stdin, kind string
	var active, replace bool
	cmd := &cobra.Command{
		Use:   "set SERVICE [LABEL] [FIELD=VALUE…]",
		Short: "Set fields of an entry; a secret is read from standard input or a file",
		Long: "Set fields of an entry, and keep the others. --stdin reads a secret from standard input, on\n" +
			"a terminal without showing it. FIELD=VALUE is for values that others may see: they can\n" +
			"read it in the list of processes and in the history of the shell.",
		Example: "  helve config set openai --stdin api_key\n" +
			"  helve config set openai base_url=https://models.example/v1 --from-file api_key=key.txt --user ann",
		Args: cobra.MinimumNArgs(1),
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&fromFile, "from-file", nil, "read a field from a file, `FIELD=PATH`; may be repeated")
	flags.StringVar(&stdin, "stdin", "", "read the `FIELD` from standard input")
	flags.StringVar(&kind, "type", "", "for a service that helve config services does not list: `TYPE` http, custom or oauth2")
	flags.BoolVar(&active, "active", true, "whether tools use the entry")
	flags.BoolVar(&replace, "replace", false, "remove the fields that are not given")
	run := func(cmd *cobra.Command, args []string, c *client.Client) error {
		service, label, given, err := setArgs(args)
		if err != nil {
			return err
		}
		set := client.ServiceSet{User: s.who.User, Type: kind, Merge: !replace, Fields: map[string]json.RawMessage{}}
		maps.Copy(set.Fields, given)
		if err := readFields(cmd, set.Fields, fromFile, stdin); err != nil {
			return err
		}
		if cmd.Flags().Changed("active") {
			set.Active = &active
		}
		if len(set.Fields) == 0 && set.Active == nil {
			return Usage("give a value: --stdin FIELD, --from-file FIELD=PATH or FIELD=VALUE")
		}
		entry, err := c.SetService(cmd.Context(), service, label, set)
		if err != nil {
			return err
		}
		return s.printSet(cmd, entry, given)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if _, _, _, err := setArgs(args); err != nil {
			return err
		}
		return s.connected(run)(cmd, args)
	}
	return cmd
}

// printSet prints an entry that was set, and a note for each secret that was among the
// arguments.
func (s *session) printSet(cmd *cobra.Command, entry client.StoredService, given map[string]json.RawMessage) error {
	for name := range given {
		if strings.HasPrefix(string(entry.Fields[name]), "{") {
			fmt.Fprintf(printable(cmd.ErrOrStderr()),
				"note: the secret %s was on the command line, where others may have seen it; use --stdin %[1]s\n", name)
		}
	}
	if s.json {
		return printJSON(cmd.OutOrStdout(), entry)
	}
	owner := "everybody of the tenant"
	if entry.User != "" {
		owner = entry.User
	}
	_, err := fmt.Fprintf(printable(cmd.OutOrStdout()), "the entry %s of %s is set for %s: %s\n",
		entry.Label, entry.Service, owner, fieldsText(entry.Fields))
	return err
}

// setArgs splits SERVICE [LABEL] [FIELD=VALUE…].
func setArgs(args []string) (service, label string, given map[string]json.RawMessage, err error) {
	service, label, given = args[0], defaultLabel, map[string]json.RawMessage{}
	for i, arg := range args[1:] {
		name, value, isField := strings.Cut(arg, "=")
		switch {
		case isField && name != "":
			given[name] = quoted(value)
		case i == 0 && !isField:
			label = arg
		default: // it may be a secret, so it is not repeated
			return "", "", nil, Usage("argument %d is neither the label nor FIELD=VALUE", i+2)
		}
	}
	return service, label, given, nil
}

func quoted(text string) json.RawMessage {
	value, _ := json.Marshal(text)
	return value
}

// readFields reads the values of files and of standard input. One end of line behind them
// is removed.
func readFields(cmd *cobra.Command, fields map[string]json.RawMessage, files []string, stdin string) error {
	for _, entry := range files {
		name, path, ok := strings.Cut(entry, "=")
		if !ok || name == "" || path == "" {
			return Usage("--from-file wants FIELD=PATH")
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		value, err := readSecret(f)
		_ = f.Close() // only read
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		fields[name] = quoted(value)
	}
	if stdin == "" {
		return nil
	}
	if f, ok := cmd.InOrStdin().(*os.File); ok && term.IsTerminal(f.Fd()) {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: ", stdin)
		value, err := term.ReadPassword(f.Fd())
		fmt.Fprintln(cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		fields[stdin] = quoted(string(value))
		return nil
	}
	value, err := readSecret(cmd.InOrStdin())
	if err != nil {
		return err
	}
	if value == "" {
		return Usage("standard input is empty; it must hold the value of %s", stdin)
	}
	fields[stdin] = quoted(value)
	return nil
}

func readSecret(r io.Reader) (string, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxSecret+1))
	if err != nil {
		return "", err
	}
	if len(text) > maxSecret {
		return "", fmt.Errorf("the value is larger than %d bytes", maxSecret)
	}
	value, _ := strings.CutSuffix(string(text), "\n")
	value, _ = strings.CutSuffix(value, "\r")
	return value, nil
}
