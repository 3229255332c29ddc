package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/cli"
	"github.com/helve-dev/helve/internal/personaldata"
	"github.com/helve-dev/helve/internal/ports/store"
	"github.com/helve-dev/helve/internal/ports/workspace"
)

// dataCommand works on the database of personal data itself. It needs no server.
func dataCommand(env []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "data",
		Short: "Export, import, delete and move personal data",
		Long: "Export, import, delete and move personal data: what the tools for tasks, notes and the\n" +
			"like store. The commands open the database that workers use: store.url of the\n" +
			"configuration, or store.db in the data directory. No server needs to run. With --server or\n" +
			"--nats-context, export, import and delete are done by that server.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(dataExportCommand(env), dataImportCommand(env), dataDeleteCommand(env), dataMigrateCommand(), dataBackupCommand(env),
		dataPrepareCommand(env))
	return cmd
}

// database holds the flags that locate the database.
type database struct {
	env                  []string
	config, data, locate string
}

func (d *database) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&d.config, "config", "", "`FILE` of settings in YAML")
	cmd.Flags().StringVar(&d.data, "data", "", "data `DIR` in place of the configured one")
	cmd.Flags().StringVar(&d.locate, "store", "", "`URL` of the database, postgres://… or sqlite:///DIR/store.db")
}

// options returns how the database is opened, with the limits of the configuration.
func (d *database) options() (store.Options, error) {
	cfg, err := config.Load(config.Source{Env: d.env, File: d.config})
	if err != nil {
		return store.Options{}, cli.Usage("%w", err)
	}
	where := cfg.Store.URL
	switch {
	case d.locate != "" && d.data != "":
		return store.Options{}, cli.Usage("give --store or --data, not both")
	case d.locate != "":
		where = d.locate
	case d.data != "":
		where = d.data
	case where == "":
		where = cfg.Data
	}
	o, err := store.Locate(where)
	if err != nil {
		return o, cli.Usage("%w", err)
	}
	o.Sync = cfg.Durability.Profile == "power"
	o.MaxDocuments, o.MaxBytes = int64(cfg.Store.MaxItems), int64(cfg.Store.MaxBytes)
	return o, nil
}

// with runs f with the database, which must exist.
func (d *database) with(cmd *cobra.Command, f func(context.Context, *store.Store) error) error {
	o, err := d.options()
	if err != nil {
		return err
	}
	if o.URL == "" {
		file := filepath.Join(o.Dir, "store.db")
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("there is no %s: name the data directory of the workers with --data, or the database with --store", file)
		}
	}
	s, err := store.Open(cmd.Context(), o)
	if err != nil {
		return err
	}
	return errors.Join(f(cmd.Context(), s), s.Close())
}

// person returns the tenant and the user that the flags name.
func person(cmd *cobra.Command) (tenant, user string, err error) {
	flags := cmd.Flags()
	tenant, _ = flags.GetString("tenant")
	user, _ = flags.GetString("user")
	if tenant == "" {
		tenant = "default"
	}
	if user == "" {
		err = cli.Usage("name the person with --user; %s is the person of calls without a user", store.Nobody)
	}
	return tenant, user, err
}

func dataExportCommand(env []string) *cobra.Command {
	d := database{env: env}
	var format string
	cmd := &cobra.Command{
		Use:     "export --user NAME [--tenant NAME] [--format FORMAT]",
		Short:   "Write all data of a person to standard output",
		Example: "  helve data export --user ann > ann.jsonl",
		Args:    cobra.NoArgs,
	}
	d.flags(cmd)
	formatFlag(cmd, &format)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := personaldata.Check(format); err != nil {
			return cli.Usage("%w", err)
		}
		tenant, user, err := person(cmd)
		if err != nil {
			return err
		}
		return d.with(cmd, func(ctx context.Context, s *store.Store) error {
			return personaldata.Write(format, cmd.OutOrStdout(), func(each func(*store.Item) error) error {
				return s.Items(ctx, tenant, user, each)
			})
		})
	}
	return cmd
}

func dataDeleteCommand(env []string) *cobra.Command {
	d := database{env: env}
	cmd := &cobra.Command{
		Use:   "delete --user NAME [--tenant NAME]",
		Short: "Delete all data of a person, without a rest in the database files",
		Long: "Delete all data of a person, and rewrite the database files so that no byte of it is\n" +
			"left. Calls wait meanwhile. The audit trail stays. There is no undo: export first.\n" +
			"Without --server it deletes the items and, in the data directory, the files of the person.\n" +
			"Grants, custom tools and results in NATS need --server.",
		Args: cobra.NoArgs,
	}
	d.flags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		tenant, user, err := person(cmd)
		if err != nil {
			return err
		}
		return d.with(cmd, func(ctx context.Context, s *store.Store) error {
			done, err := s.Erase(ctx, tenant, user)
			if err == nil && d.locate == "" {
				err = d.eraseFiles(tenant, user)
			}
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.ErrOrStderr(), "grants, custom tools and results in NATS stay; delete with --server to remove them too")
			return printed(cmd, done, "deleted %d items and %d results of calls\n", done.Items, done.Results)
		})
	}
	return cmd
}

// eraseFiles removes the workspace of a person, if the data directory has any workspaces.
func (d *database) eraseFiles(tenant, user string) error {
	dir := d.data
	if dir == "" {
		cfg, err := config.Load(config.Source{Env: d.env, File: d.config})
		if err != nil {
			return err
		}
		dir = cfg.Data
	}
	if _, err := os.Stat(filepath.Join(dir, "workspaces")); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	files, err := workspace.New(dir)
	if err != nil {
		return err
	}
	return files.Erase(tenant, user)
}

func dataBackupCommand(env []string) *cobra.Command {
	d := database{env: env}
	cmd := &cobra.Command{
		Use:     "backup FILE",
		Short:   "Write a copy of store.db, while workers use it, to a new file",
		Example: "  helve data backup --data data /backup/store.db",
		Args:    cobra.ExactArgs(1),
	}
	d.flags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return d.with(cmd, func(ctx context.Context, s *store.Store) error { return s.Backup(ctx, args[0]) })
	}
	return cmd
}

func formatFlag(cmd *cobra.Command, format *string) {
	cmd.Flags().StringVar(format, "format", personaldata.JSONL, "one of "+fmt.Sprint(personaldata.Formats()))
}

// printed prints a result, as JSON if --json is set.
func printed(cmd *cobra.Command, v any, text string, values ...any) error {
	if asJSON, _ := cmd.Flags().GetBool("json"); asJSON {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(v)
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), text, values...)
	return err
}

// input returns the file that the arguments name, or standard input.
func input(cmd *cobra.Command, args []string) (io.ReadCloser, error) {
	if len(args) == 0 || args[0] == "-" {
		return io.NopCloser(cmd.InOrStdin()), nil
	}
	return os.Open(args[0])
}
