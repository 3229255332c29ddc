package index

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
	"go.uber.org/zap"
)

//go:embed migrations
var migrations embed.FS

// segmentsCame is the version of the tables that introduced chunks and segments, and
// dropped older data.
const segmentsCame = 3

// errNewer means that a newer version of Helve made the tables. An index in a file is
// rebuilt; one in a database that processes share waits until this program is updated.
var errNewer = errors.New("its tables are those of a newer version of Helve; update this program")

// migrate brings the tables up to date. It reports whether it replaced tables that held
// records. The files of a release never change afterwards; later changes are new files.
func migrate(
	ctx context.Context, log *zap.Logger, db *sql.DB, dialect goose.Dialect, dir string, options ...goose.ProviderOption,
) (replaced bool, err error) {
	files, err := fs.Sub(migrations, "migrations/"+dir)
	if err != nil {
		return false, err
	}
	provider, err := goose.NewProvider(dialect, db, files, append(options,
		goose.WithTableName("audit_index_version"), // other tables may share the database
		goose.WithDisableGlobalRegistry(true))...)
	if err != nil {
		return false, err
	}
	// A file that cannot be read is reported below, as what it is.
	if has, knows, err := provider.GetVersions(ctx); err == nil && has > knows {
		return false, fmt.Errorf("%w (version %d; this program knows %d)", errNewer, has, knows)
	}
	done, err := provider.Up(ctx)
	if err != nil {
		return false, fmt.Errorf("bring its tables up to date: %w", err)
	}
	replaced = len(done) > 0 && done[0].Source.Version > 1 && done[0].Source.Version <= segmentsCame
	if replaced {
		log.Info("audit index tables replaced; all records are copied again from the stream")
	}
	return replaced, nil
}
