package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// Report describes a database for operators.
type Report struct {
	// Summary names the database and its size.
	Summary string
	// Problems keep the data tools from working, or from keeping persons apart.
	Problems []string
	// Advice is about what works and should be different.
	Advice []string
}

// inspectWithin bounds the time for which a database is inspected.
const inspectWithin = 4 * time.Second

// Inspect reports on a database. It changes nothing and makes nothing.
func Inspect(ctx context.Context, o Options) Report {
	ctx, cancel := context.WithTimeout(ctx, inspectWithin)
	defer cancel()
	var r Report
	var err error
	if o.URL != "" {
		err = r.postgres(ctx, o.URL)
	} else {
		err = r.sqlite(ctx, filepath.Join(o.Dir, sqliteFile))
	}
	if err != nil {
		r.Problems = append(r.Problems, err.Error())
	}
	return r
}

func (r *Report) sqlite(ctx context.Context, file string) error {
	r.Summary = "SQLite, " + file
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		r.Summary += ", will be created"
		return nil
	}
	if err != nil {
		return err
	}
	r.Summary += fmt.Sprintf(", %.1f MiB", float64(info.Size())/(1<<20))
	s := &sqliteDB{file: file}
	pool, err := s.connect(1, "query_only(1)")
	if err != nil {
		return err
	}
	defer func() { _ = pool.Close() }()
	var version sql.NullInt64
	if err := pool.QueryRowContext(ctx, `SELECT max(version_id) FROM store_version`).Scan(&version); err != nil {
		return fmt.Errorf("%s is not readable as a store: %w", file, err)
	}
	return newer(version.Int64)
}

// newer returns an error if the tables are of a version that this program does not know.
func newer(has int64) error {
	files, err := fs.Glob(migrations, "migrations/sqlite/*.sql")
	if knows := int64(len(files)); err == nil && has > knows {
		err = fmt.Errorf("%w (version %d; this program knows %d): update this program", errNewer, has, knows)
	}
	return err
}

func (r *Report) postgres(ctx context.Context, url string) error {
	r.Summary = "PostgreSQL, store.url"
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return fmt.Errorf("store.url is not reachable, or refuses the password: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	var server, role string
	var size int64
	var super bool
	var tables *string
	err = conn.QueryRow(ctx,
		`SELECT current_setting('server_version'), current_user::text, pg_database_size(current_database()), to_regclass('store_version')::text,
(SELECT rolsuper FROM pg_roles WHERE rolname = current_user)`).Scan(&server, &role, &size, &tables, &super)
	if err != nil {
		return err
	}
	r.Summary = fmt.Sprintf("PostgreSQL %s as %s, %.1f MiB", server, role, float64(size)/(1<<20))
	if super {
		r.Advice = append(r.Advice, fmt.Sprintf("the role %s is a superuser: use a role that owns its database only", role))
	}
	if tables == nil {
		r.Summary += ", tables will be made"
		return nil
	}
	var version int64
	if err := conn.QueryRow(ctx, `SELECT max(version_id) FROM store_version`).Scan(&version); err != nil {
		return err
	}
	if err := newer(version); err != nil {
		return err
	}
	return r.rowSecurity(ctx, conn)
}

// rowSecurity reports what would let a call read the rows of another person: a role of
// calls that row-level security does not bind, or a table without it.
func (r *Report) rowSecurity(ctx context.Context, conn *pgx.Conn) error {
	var exempt, owner bool
	var open []string
	err := conn.QueryRow(ctx, `SELECT rolsuper OR rolbypassrls,
EXISTS (SELECT FROM pg_class WHERE relkind = 'r' AND relname LIKE 'store\_%'
	AND relnamespace = current_schema()::regnamespace AND pg_has_role(rolname, relowner, 'MEMBER')),
coalesce((SELECT array_agg(relname::text ORDER BY relname) FROM pg_class
	WHERE relkind = 'r' AND relname LIKE 'store\_%' AND relname <> 'store_version'
	AND relnamespace = current_schema()::regnamespace AND NOT relrowsecurity), '{}')
FROM pg_roles WHERE rolname = $1`, personRole).Scan(&exempt, &owner, &open)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return fmt.Errorf("there is no role %s: run CREATE ROLE %s NOLOGIN and GRANT %s TO the role of store.url",
			personRole, personRole, personRole)
	case err != nil:
		return err
	case exempt:
		r.Problems = append(r.Problems,
			fmt.Sprintf("the role %s is a superuser or bypasses row-level security: run ALTER ROLE %s NOSUPERUSER NOBYPASSRLS",
				personRole, personRole))
	case owner:
		r.Problems = append(r.Problems, fmt.Sprintf(
			"the role %s owns tables, so row-level security does not bind it: make the role of store.url their owner, and revoke it from %s",
			personRole, personRole,
		))
	}
	if len(open) > 0 {
		r.Problems = append(r.Problems, "row-level security is off for "+strings.Join(open, ", ")+": run ALTER TABLE … ENABLE ROW LEVEL SECURITY")
	}
	return nil
}
