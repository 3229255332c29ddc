package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/internal/cli"
	"github.com/helve-dev/helve/internal/personaldata"
	"github.com/helve-dev/helve/internal/ports/store"
)

func dataImportCommand(env []string) *cobra.Command {
	d := database{env: env}
	var format string
	var replace bool
	cmd := &cobra.Command{
		Use:   "import --user NAME [--tenant NAME] [--format FORMAT] [FILE]",
		Short: "Store exported data, from a file or standard input, for a person",
		Long: "Store exported data, from a file or standard input, for a person. Items keep their\n" +
			"ids; an item whose id is taken is left out, so an import may be repeated.",
		Example: "  helve data import --user ann ann.jsonl",
		Args:    cobra.MaximumNArgs(1),
	}
	d.flags(cmd)
	formatFlag(cmd, &format)
	cmd.Flags().BoolVar(&replace, "replace", false, "replace stored items that have the id of an imported one")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := personaldata.Check(format); err != nil {
			return cli.Usage("%w", err)
		}
		tenant, user, err := person(cmd)
		if err != nil {
			return err
		}
		in, err := input(cmd, args)
		if err != nil {
			return err
		}
		defer func() { _ = in.Close() }()
		return d.with(cmd, func(ctx context.Context, s *store.Store) error {
			sum, err := personaldata.Import(ctx, s, tenant, user, format, in, replace)
			printing := printed(cmd, sum, "%s", cli.ImportText(sum))
			return errors.Join(err, printing)
		})
	}
	return cmd
}

func dataMigrateCommand() *cobra.Command {
	var from, to string
	cmd := &cobra.Command{
		Use:   "migrate --from DATABASE --to DATABASE",
		Short: "Copy all personal data from SQLite to PostgreSQL, or back",
		Long: "Copy the personal data of everybody to an empty database, in one transaction, and\n" +
			"compare all of it before it is committed. A DATABASE is postgres://…, sqlite:///DIR/store.db\n" +
			"or a data directory. Stop workers and dispatchers first; the command refuses a database that\n" +
			"is in use. Then set store.url and start them again. The database copied from stays as it is.",
		Example: "  helve data migrate --from data --to postgres://helve@db/helve",
		Args:    cobra.NoArgs,
	}
	cmd.Flags().StringVar(&from, "from", "", "`DATABASE` to copy from")
	cmd.Flags().StringVar(&to, "to", "", "`DATABASE` to copy to")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		source, err := store.Locate(from)
		if err != nil {
			return cli.Usage("--from: %w", err)
		}
		target, err := store.Locate(to)
		if err != nil {
			return cli.Usage("--to: %w", err)
		}
		if source.URL == target.URL && source.Dir == target.Dir {
			return cli.Usage("--from and --to are the same database")
		}
		done, err := store.Copy(cmd.Context(), source, target)
		switch {
		case errors.Is(err, store.ErrInUse):
			return errors.Join(err, errors.New("stop the workers and dispatchers, and run the command again"))
		case errors.Is(err, store.ErrNotEmpty):
			return errors.Join(err, errors.New("name an empty one; nothing was changed"))
		case err != nil:
			return err
		}
		return printed(cmd, done,
			"copied and compared: %d items and %d results of calls; set store.url to the new database on all workers and dispatchers\n",
			done["store_row"], done["store_call"])
	}
	return cmd
}
