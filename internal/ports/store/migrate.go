package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

// errNewer means that a newer version of Helve made the tables.
var errNewer = errors.New("its tables are those of a newer version of Helve")

//go:embed migrations
var migrations embed.FS

// migrate brings the tables up to date. The files of a release are never changed after
// it; what comes later is another file.
func migrate(ctx context.Context, db *sql.DB, dialect goose.Dialect, dir string, options ...goose.ProviderOption) error {
	files, err := fs.Sub(migrations, "migrations/"+dir)
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(dialect, db, files, append(options,
		goose.WithTableName("store_version"), // other tables may share the database
		goose.WithDisableGlobalRegistry(true))...)
	if err != nil {
		return err
	}
	has, knows, err := provider.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("read the version of its tables: %w", err)
	}
	if has > knows {
		return fmt.Errorf("%w: they have version %d, and this program knows %d; update this program", errNewer, has, knows)
	}
	if has == knows {
		return nil
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("bring its tables up to date: %w", err)
	}
	return nil
}
