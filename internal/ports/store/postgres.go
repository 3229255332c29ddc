package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/tool"
)

// postgresDB is a server that many processes share. Owner makes the tables and removes
// expired results; everything for a call runs in persons, under the role personRole.
type postgresDB struct {
	owner, persons *sql.DB

	mu       sync.Mutex
	prepared bool // the tables are up to date
}

const (
	personRole    = "helve_person"
	postgresConns = 16
	// openWithin bounds how long a start waits for the server.
	openWithin = 5 * time.Second
	// commitWithin bounds the end of a transaction, which no caller interrupts.
	commitWithin = 5 * time.Second
)

// session are the settings of a connection for calls. A process that is stopped in the middle of a
// commit holds the usage row of its person, for which all commits of that person wait: the
// server ends its session after idle_in_transaction_session_timeout, and those that wait try
// again after lock_timeout. A session that waits for a lock does not read its connection, so the
// server must look whether its process still lives; servers before PostgreSQL 14, and
// those on Windows, cannot. A peer that is gone is noticed within half a minute.
const session = `SET ROLE ` + personRole +
	`; SET statement_timeout = '15s'; SET lock_timeout = '2s'; SET idle_in_transaction_session_timeout = '3s';
SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3;
DO $$ BEGIN PERFORM set_config('client_connection_check_interval', '1s', false); EXCEPTION WHEN OTHERS THEN NULL; END $$`

func openPostgres(ctx context.Context, o Options) (database, error) {
	config, err := pgx.ParseConfig(o.URL)
	if err != nil {
		return nil, err // it hides the password
	}
	p := &postgresDB{
		owner: stdlib.OpenDB(*config),
		persons: stdlib.OpenDB(*config, stdlib.OptionAfterConnect(func(ctx context.Context, c *pgx.Conn) error {
			_, err := c.PgConn().Exec(ctx, session).ReadAll()
			return err
		})),
	}
	p.owner.SetMaxOpenConns(2)
	p.persons.SetMaxOpenConns(postgresConns)
	p.persons.SetMaxIdleConns(postgresConns)
	bounded, cancel := context.WithTimeout(ctx, openWithin)
	defer cancel()
	switch err := p.prepare(bounded); {
	case errors.Is(err, errNewer), isPgError(err, "42501"):
		return nil, errors.Join(explained(err), p.close())
	case err != nil:
		o.Log.Warn("store: PostgreSQL not ready; calls wait for it", zap.Error(err))
	}
	return p, nil
}

// explained adds what an operator does about a role that may not be made.
func explained(err error) error {
	if isPgError(err, "42501") {
		return fmt.Errorf("%w: as a superuser run CREATE ROLE %s NOLOGIN and GRANT %s TO the role of store.url, and start again",
			err, personRole, personRole)
	}
	return err
}

// prepare brings the tables up to date, once.
func (p *postgresDB) prepare(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.prepared {
		return nil
	}
	if err := p.owner.PingContext(ctx); err != nil { // the migration would try for minutes
		return err
	}
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300))
	if err != nil {
		return err
	}
	err = migrate(ctx, p.owner, goose.DialectPostgres, "postgres", goose.WithSessionLocker(locker))
	p.prepared = err == nil
	return err
}

// with runs f with a connection for calls.
func (p *postgresDB) with(ctx context.Context, f func(*pgx.Conn) error) error {
	if err := p.prepare(ctx); err != nil {
		return postgresError(ctx, err)
	}
	conn, err := p.persons.Conn(ctx)
	if err != nil {
		return postgresError(ctx, err)
	}
	defer func() { _ = conn.Close() }()
	return conn.Raw(func(c any) error { return f(c.(*stdlib.Conn).Conn()) }) //nolint:forcetypeassert // the driver is pgx's
}

// bindPerson binds the transaction to a person. Row-level security reads the settings.
const bindPerson = `SELECT set_config('helve.tenant', $1, true), set_config('helve.person', $2, true)`

// rows implements [database].
func (p *postgresDB) rows(
	ctx context.Context, who person, each func(scan func(...any) error) error, statement string, values ...any,
) error {
	return p.with(ctx, func(c *pgx.Conn) error {
		var batch pgx.Batch // one transaction, in one trip to the server
		batch.Queue(bindPerson, who.tenant, who.name)
		batch.Queue(numbered(statement), values...)
		results := c.SendBatch(ctx, &batch)
		err := func() error {
			if _, err := results.Exec(); err != nil {
				return err
			}
			rows, err := results.Query()
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
				if err := each(rows.Scan); err != nil {
					return err
				}
			}
			return rows.Err()
		}()
		return postgresError(ctx, errors.Join(err, results.Close()))
	})
}

func isPgError(err error, codes ...string) bool {
	var failed *pgconn.PgError
	if !errors.As(err, &failed) {
		return false
	}
	for _, code := range codes {
		if strings.HasPrefix(failed.Code, code) {
			return true
		}
	}
	return false
}

// postgresError returns what an error before the end of a transaction means for a call.
func postgresError(ctx context.Context, err error) error {
	var failed *pgconn.PgError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errNewer), own(err):
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case takenSlot(err) > 0:
		return &takenError{slot: takenSlot(err), cause: err}
	case isPgError(err, "40001", "40P01", "23505"): // serialization, deadlock, an id that is taken
		return fmt.Errorf("%w: %w", ErrStale, err)
	case isPgError(err, "53100"):
		return full(err)
	case isPgError(err, "57014"): // statement_timeout
		return unreachable(err)
	case isPgError(err, "08", "53", "57P", "25006", "25P03", "55P03"), !errors.As(err, &failed):
		// away, crowded, shutting down, timed out, locked, or a broken connection
		return fmt.Errorf("%w: %w", errAway, err)
	}
	return err
}

func (p *postgresDB) purge(ctx context.Context, now time.Time) error {
	_, err := p.owner.ExecContext(ctx, `DELETE FROM store_call WHERE expires < $1`, now.Unix())
	return err
}

func (p *postgresDB) check(ctx context.Context) error {
	return p.with(ctx, func(c *pgx.Conn) error {
		_, err := c.Exec(ctx, "SELECT 1")
		return postgresError(ctx, err)
	})
}

func (p *postgresDB) close() error { return errors.Join(p.persons.Close(), p.owner.Close()) }

func (p *postgresDB) field(name string, kind tool.FieldKind) string {
	if kind == tool.KindNumber {
		return `(CASE WHEN jsonb_typeof(doc->'` + name + `') = 'number' THEN (doc->>'` + name + `')::numeric ELSE 0 END)`
	}
	if kind == tool.KindBoolean {
		return `coalesce(doc->'` + name + `' = 'true'::jsonb, false)`
	}
	return `(coalesce(doc->>'` + name + `', '') COLLATE "C")`
}

func (p *postgresDB) value(kind tool.FieldKind) string {
	if kind == tool.KindNumber {
		return "?::numeric"
	}
	return "?"
}

func (p *postgresDB) has(name string) string {
	return `(jsonb_typeof(doc->'` + name + `') = 'array' AND doc->'` + name + `' @> to_jsonb(?::text))`
}

func (p *postgresDB) matches(owner ownerKey, terms []string) (string, any) {
	var b strings.Builder
	for i, term := range terms { // letters and digits only
		if i > 0 {
			b.WriteString(" & ")
		}
		b.WriteString("'" + string(owner) + term + "':*")
	}
	return "n IN (SELECT store_search(?::tsquery))", b.String()
}

func (p *postgresDB) text(number string) string { return "(" + number + ")::text" }
