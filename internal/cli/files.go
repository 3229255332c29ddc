package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/client"
)

// filesCommand returns the commands on the files of a workspace.
func filesCommand(s *session) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "files",
		Short: "List, get, put and delete files of a workspace",
		Long: "List, get, put and delete files of the workspace that tools read and write. It is your\n" +
			"own, or with --user, for admins, that of a person.",
		Args: cobra.NoArgs,
	}
	cmd.AddCommand(filesList(s), filesGet(s), filesPut(s), filesDelete(s))
	return cmd
}

func filesList(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "list [DIRECTORY]",
		Short: "List the files below a directory",
		Args:  cobra.MaximumNArgs(1),
		RunE: s.connected(func(cmd *cobra.Command, args []string, c *client.Client) error {
			list, err := c.Files(cmd.Context(), s.who.User, strings.Join(args, ""))
			if err != nil {
				return err
			}
			if s.json {
				return printJSON(cmd.OutOrStdout(), map[string]any{"files": append([]client.File{}, list...)})
			}
			if len(list) == 0 {
				fmt.Fprintln(cmd.ErrOrStderr(), "no files")
				return nil
			}
			rows := [][]string{{"SIZE", "MODIFIED", "PATH"}}
			for _, f := range list {
				rows = append(rows, []string{fmt.Sprint(f.Size), moment(f.Modified), f.Path})
			}
			return table(printable(cmd.OutOrStdout()), rows...)
		}),
	}
}

func filesGet(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "get PATH [FILE]",
		Short: "Write a file to standard output, or to a file here",
		Example: "  helve files get reports/q3.pdf q3.pdf\n" +
			"  helve files get notes.txt | less",
		Args: cobra.RangeArgs(1, 2),
		RunE: s.connected(func(cmd *cobra.Command, args []string, c *client.Client) error {
			if len(args) == 1 || args[1] == "-" {
				return c.GetFile(cmd.Context(), s.who.User, args[0], cmd.OutOrStdout())
			}
			return download(args[1], func(w io.Writer) error { return c.GetFile(cmd.Context(), s.who.User, args[0], w) })
		}),
	}
}

// download has get write a file beside to, and gives it that name when it is complete.
func download(to string, get func(io.Writer) error) (err error) {
	part, err := os.CreateTemp(filepath.Dir(to), ".helve-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(part.Name())
		}
	}()
	if err := errors.Join(get(part), part.Close()); err != nil {
		return err
	}
	return os.Rename(part.Name(), to)
}

func filesPut(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "put FILE [PATH]",
		Short: "Store a file, or standard input, in the workspace",
		Long: "Store a file in the workspace, under its own name or under PATH; a PATH that ends in a\n" +
			"slash is a directory. Standard input is -, which needs a PATH. A file there is replaced.",
		Example: "  helve files put q3.pdf reports/\n" +
			"  date | helve files put - now.txt",
		Args: cobra.RangeArgs(1, 2),
		RunE: s.connected(func(cmd *cobra.Command, args []string, c *client.Client) error {
			to := strings.Join(args[1:], "")
			if args[0] == "-" {
				if to == "" || strings.HasSuffix(to, "/") {
					return Usage("give the PATH under which standard input is stored")
				}
				return c.PutFile(cmd.Context(), s.who.User, to, cmd.InOrStdin())
			}
			if to == "" || strings.HasSuffix(to, "/") {
				to = path.Join(to, filepath.Base(args[0]))
			}
			file, err := os.Open(args[0])
			if err != nil {
				return err
			}
			defer func() { _ = file.Close() }() // it was only read
			return c.PutFile(cmd.Context(), s.who.User, to, file)
		}),
	}
}

func filesDelete(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "delete PATH",
		Short: "Delete a file, or an empty directory",
		Args:  cobra.ExactArgs(1),
		RunE: s.connected(func(cmd *cobra.Command, args []string, c *client.Client) error {
			return c.DeleteFile(cmd.Context(), s.who.User, args[0])
		}),
	}
}
