package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/audit/index"
	"github.com/helve-dev/helve/internal/ports/store"
	"github.com/helve-dev/helve/internal/telemetry"
)

// prepareTime bounds the wait for other processes that change the same tables.
const prepareTime = 10 * time.Minute

func dataPrepareCommand(env []string) *cobra.Command {
	d := database{env: env}
	cmd := &cobra.Command{
		Use:   "prepare",
		Short: "Create the tables of the database, or bring them up to date, and exit",
		Long: "Create the tables of personal data, and in PostgreSQL those of the audit index, or bring\n" +
			"them up to date, and exit. Workers and dispatchers do the same when they start; run before an\n" +
			"upgrade, the command shows an error while the old programs still run. Running it again\n" +
			"changes nothing.",
		Example: "  helve data prepare --store postgres://helve@db/helve",
		Args:    cobra.NoArgs,
	}
	d.flags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		o, err := d.options()
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), prepareTime)
		defer cancel()
		if err := prepareStore(ctx, o); err != nil {
			return err
		}
		if o.URL != "" {
			log, err := telemetry.NewLogger("warn", "auto", cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			if err := prepareIndex(ctx, o.URL, log); err != nil {
				return err
			}
		}
		fmt.Fprintln(cmd.ErrOrStderr(), "the tables are up to date")
		return nil
	}
	return cmd
}

func prepareStore(ctx context.Context, o store.Options) error {
	s, err := store.Open(ctx, o)
	if err != nil {
		return err
	}
	err = s.Check(ctx)
	return errors.Join(err, s.Close())
}

func prepareIndex(ctx context.Context, url string, log *zap.Logger) error {
	x, err := index.Open(ctx, index.Options{URL: url, Log: log})
	if err != nil {
		return err
	}
	if _, err = x.Finals(ctx, "default", "none"); err != nil { // reads the tables, which must exist
		err = fmt.Errorf("audit index: %w", err)
	}
	return errors.Join(err, x.Close())
}
