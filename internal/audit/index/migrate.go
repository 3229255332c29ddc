package index

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

//go:embed migrations
var migrations embed.FS

// migrate brings the tables up to date. The files of a release are never
// changed after it; what comes later is another file.
func migrate(ctx context.Context, db *sql.DB, dialect goose.Dialect, dir string, options ...goose.ProviderOption) error {
	files, err := fs.Sub(migrations, "migrations/"+dir)
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(dialect, db, files, append(options,
		goose.WithTableName("audit_index_version"), // other tables may share the database
		goose.WithDisableGlobalRegistry(true))...)
	if err != nil {
		return err
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("bring its tables up to date: %w", err)
	}
	return nil
}
